import { toBlob } from 'html-to-image';
import { dark, light } from '../../theme/tokens';
import styles from '../markdown/markdown.module.css';

/** Width of the drawn page in CSS pixels, and how many pixels of the picture make one of them. */
const pageWidth = 800;
const density = 2;

/** Longest picture, in CSS pixels, that browsers can still draw. */
const longest = 8000;

/** How long a picture of the text, and the drawing of all, may take, in milliseconds. */
const pictureTime = 10_000;
const drawingTime = 60_000;

/**
 * pngOf draws rendered content in full length, in the colours of a theme. `content` is shown outside of the window
 * meanwhile. Rejects when it is longer than a picture can be.
 */
export async function pngOf(
  content: HTMLElement,
  theme: 'light' | 'dark',
  signal: AbortSignal,
): Promise<Blob> {
  const palette = theme === 'dark' ? dark : light;
  const stage = document.createElement('div');
  stage.dataset.theme = theme;
  stage.inert = true;
  stage.style.cssText = `position:absolute;inset:0 auto auto -10000px;width:${pageWidth}px;padding:32px;background:${palette.surface};color:${palette.ink}`;
  for (const [name, value] of Object.entries(palette)) {
    stage.style.setProperty(
      `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      String(value),
    );
  }
  content.className = styles.section ?? '';
  const page = document.createElement('div');
  page.className = styles.markdown ?? '';
  page.append(content);
  stage.append(page);
  // Code has its frame from controls that a picture does not have.
  for (const block of content.querySelectorAll('pre')) {
    block.style.cssText = `padding:12px 16px;border:1px solid ${palette.line};border-radius:6px;background:${palette.wash};font-size:14px;white-space:pre-wrap`;
  }
  document.body.append(stage);
  try {
    await Promise.all(
      [...stage.querySelectorAll('img')].map((image) => within(pictureTime, signal, decoded(image))),
    );
    signal.throwIfAborted();
    const height = stage.scrollHeight;
    if (height > longest) throw new TooLong();
    const drawing = toBlob(stage, {
      width: pageWidth,
      height,
      pixelRatio: density,
      backgroundColor: palette.surface,
      // The stage stands outside of the window; the drawing begins at its corner.
      style: { position: 'static', inset: 'auto' },
      skipFonts: true,
    });
    const drawn = await within(drawingTime, signal, drawing);
    signal.throwIfAborted();
    if (!drawn) throw new Error('the picture could not be drawn');
    return drawn;
  } finally {
    stage.remove();
  }
}

/** decoded waits until a picture can be drawn, or cannot. Outside of the window a lazy one would never be loaded. */
function decoded(image: HTMLImageElement): Promise<void> {
  image.loading = 'eager';
  return image.decode().catch(() => undefined);
}

/** within waits for what the browser may never answer: no longer than the milliseconds, and not after the signal. */
function within<T>(milliseconds: number, signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  const end = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
  return Promise.race([
    work,
    new Promise<undefined>((resolve) => {
      if (end.aborted) resolve(undefined);
      end.addEventListener('abort', () => resolve(undefined), { once: true });
    }),
  ]);
}

/** TooLong says that a text does not fit into one picture. */
export class TooLong extends Error {
  override name = 'TooLong';
}
