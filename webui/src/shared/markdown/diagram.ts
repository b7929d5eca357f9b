import { look } from '../../theme/mode';
import type { Decorations } from './decorations';
import styles from './markdown.module.css';

/**
 * diagram makes a fenced block of Mermaid a picture. It is drawn when it comes near the window and again when the
 * theme changes; its source stays below it. One that cannot be drawn stays as its source, with the reason.
 */
export function diagram(code: HTMLElement, opts: Decorations) {
  const source = (code.textContent ?? '').trim();
  const figure = document.createElement('figure');
  figure.className = styles.diagram ?? '';
  figure.dataset.waiting = '';
  const text = document.createElement('pre');
  text.textContent = source;
  text.tabIndex = 0;
  const more = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = opts.label('diagramSource');
  more.append(summary, text);
  figure.append(more);
  code.parentElement?.replaceWith(figure);
  whenSeen(figure, () => draw(figure, more, source, opts));
}

async function draw(figure: HTMLElement, more: HTMLElement, source: string, opts: Decorations) {
  let image: HTMLImageElement | undefined;
  const show = async () => {
    const { drawDiagram } = await import('./mermaid');
    const drawn = await drawDiagram(source);
    image ??= document.createElement('img');
    image.src = drawn.src;
    image.width = drawn.width;
    image.height = drawn.height;
    image.alt = opts.label('diagram', { kind: source.split(/\s/, 1)[0] ?? '' });
    delete figure.dataset.waiting;
    if (!image.parentElement) figure.prepend(image);
  };
  try {
    await show();
    const end = look.subscribe(() => {
      if (figure.isConnected) show().catch(() => undefined);
      else end();
    });
  } catch (error) {
    delete figure.dataset.waiting;
    const reason = document.createElement('p');
    reason.className = styles.problem ?? '';
    reason.textContent = opts.label('diagramFailed', { reason: firstLine(error) });
    figure.prepend(reason);
    more.setAttribute('open', '');
  }
}

const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.slice(0, 160) ?? '';

/** whenSeen acts once an element comes near the window. */
export function whenSeen(element: Element, act: () => Promise<unknown>) {
  if (typeof IntersectionObserver === 'undefined') {
    void act();
    return;
  }
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      void act();
    },
    { rootMargin: '600px' },
  );
  observer.observe(element);
}
