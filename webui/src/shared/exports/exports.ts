import { cspNonce } from '../../config';
import { copyText } from '../clipboard';
import { dialectOf } from '../markdown/dialects';
import { markdownGroups } from '../markdown/parse';
import type { Dialect } from '../markdown/dialect';
import { sanitize } from '../markdown/sanitize';
import { saveBlob } from '../saveBlob';
import { documentOf } from './document';
import { inlineImages } from './images';
import { plainText } from './plain';

/** A text that is copied or saved in another form. */
export interface Exported {
  text: string;
  markdown: boolean;
  /** title is the remark; "" without one. */
  title: string;
}

/** contentOf renders the text as readers see it, made safe; a plain text keeps its lines. */
function contentOf({ text, markdown }: Exported, dialect?: () => Dialect): HTMLElement {
  const content = document.createElement('article');
  if (markdown) {
    for (const { html } of markdownGroups(text, dialect?.())) content.append(sanitize(html));
    return content;
  }
  const lines = document.createElement('pre');
  lines.textContent = text;
  content.append(lines);
  return content;
}

/** wholeContentOf also sets formulas, in a form that needs no style sheet, and draws diagrams. */
async function wholeContentOf(source: Exported, theme: 'light' | 'dark' = 'light'): Promise<HTMLElement> {
  const content = contentOf(source, source.markdown ? await dialectOf(source.text) : undefined);
  for (const code of content.querySelectorAll('pre > code.language-math')) {
    const place = document.createElement('div');
    place.className = 'md-formula';
    place.textContent = code.textContent;
    code.parentElement?.replaceWith(place);
  }
  const formulas = content.querySelectorAll<HTMLElement>('.md-math, .md-formula');
  if (formulas.length > 0) await (await import('../markdown/math')).setFormulas(formulas, 'mathml');
  for (const code of content.querySelectorAll<HTMLElement>('pre > code.language-mermaid')) {
    await drawIn(code, theme);
  }
  return content;
}

/** drawIn puts a picture in place of a diagram's source; a source that cannot be drawn stays. */
async function drawIn(code: HTMLElement, theme: 'light' | 'dark') {
  const { drawDiagram } = await import('../markdown/mermaid');
  const drawn = await drawDiagram((code.textContent ?? '').trim(), theme).catch(() => undefined);
  if (!drawn) return;
  const image = document.createElement('img');
  image.src = drawn.src;
  image.width = drawn.width;
  image.height = drawn.height;
  image.alt = (code.textContent ?? '').trim().split(/\s/, 1)[0] ?? '';
  code.parentElement?.replaceWith(image);
}

export const copySource = ({ text }: Exported): Promise<boolean> => copyText(text);

export const copyPlain = async (source: Exported): Promise<boolean> =>
  copyText(source.markdown ? plainText(contentOf(source, await dialectOf(source.text))) : source.text);

/** copyHtml puts formatted text on the clipboard, with plain text for programs that take no other. */
export async function copyHtml(source: Exported): Promise<boolean> {
  const content = await wholeContentOf(source);
  const flavours = {
    'text/html': content.innerHTML,
    'text/plain': source.markdown ? plainText(content) : source.text,
  };
  try {
    if (typeof ClipboardItem === 'function' && navigator.clipboard) {
      const blobs = Object.entries(flavours).map(([type, text]) => [type, new Blob([text], { type })]);
      await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))]);
      return true;
    }
  } catch {
    // Refused; the event of a copy command may still take it.
  }
  return copyByEvent(flavours);
}

function copyByEvent(flavours: Record<string, string>): boolean {
  let taken = false;
  const fill = (event: ClipboardEvent) => {
    event.preventDefault();
    for (const [type, text] of Object.entries(flavours)) event.clipboardData?.setData(type, text);
    taken = true;
  };
  document.addEventListener('copy', fill);
  try {
    return document.execCommand('copy') && taken;
  } catch {
    return false;
  } finally {
    document.removeEventListener('copy', fill);
  }
}

/** saveMarkdown saves the source; nothing of it can be lost. */
export async function saveMarkdown(source: Exported): Promise<number> {
  saveBlob(new Blob([source.text], { type: 'text/markdown;charset=utf-8' }), `${fileName(source)}.md`);
  return 0;
}

/** saveHtml saves one file that needs no other; answers how many pictures could not be put into it. */
export async function saveHtml(source: Exported): Promise<number> {
  const content = await wholeContentOf(source);
  const left = await inlineImages(content);
  const html = documentOf(titleOf(source, content), content);
  saveBlob(new Blob([html], { type: 'text/html;charset=utf-8' }), `${fileName(source, content)}.html`);
  return left;
}

/** saveWord saves a .docx. Formulas stand in it as they were written. */
export async function saveWord(source: Exported, signal: AbortSignal): Promise<number> {
  const content = contentOf(source, source.markdown ? await dialectOf(source.text) : undefined);
  for (const code of content.querySelectorAll<HTMLElement>('pre > code.language-mermaid')) {
    await drawIn(code, 'light');
  }
  const { wordOf } = await import('./word');
  const { file, missing } = await wordOf(content, titleOf(source, content), signal);
  saveBlob(file, `${fileName(source, content)}.docx`);
  return missing;
}

/** savePng saves a picture of the whole text in the colours of a theme. */
export async function savePng(
  source: Exported,
  theme: 'light' | 'dark',
  signal: AbortSignal,
): Promise<number> {
  const content = await wholeContentOf(source, theme);
  const missing = await inlineImages(content);
  const { pngOf } = await import('./png');
  saveBlob(await pngOf(content, theme, signal), `${fileName(source, content)}.png`);
  return missing;
}

/** print opens the browser's print dialog, which also saves PDF, for the text alone. */
export async function print(source: Exported): Promise<number> {
  const content = await wholeContentOf(source);
  const nonce = cspNonce();
  const frame = document.createElement('iframe');
  // No scripts; the frame must be of this origin, so that it can be told to print.
  frame.setAttribute('sandbox', 'allow-same-origin allow-modals');
  frame.style.cssText = 'position:fixed;inset:0 100% 100% 0;border:0;visibility:hidden';
  frame.setAttribute('aria-hidden', 'true');
  frame.tabIndex = -1;
  frame.srcdoc = documentOf(titleOf(source, content), content, nonce);
  const loaded = new Promise((done) => frame.addEventListener('load', done, { once: true }));
  document.body.append(frame);
  await loaded;
  // A print dialog that does not hold up scripts, as on phones, needs the frame for longer.
  frame.contentWindow?.addEventListener('afterprint', () => setTimeout(() => frame.remove(), 1000));
  frame.contentWindow?.print();
  return 0;
}

function titleOf({ title, text }: Exported, content: HTMLElement): string {
  const heading = content.querySelector('h1, h2, h3')?.textContent ?? '';
  return title.trim() || heading.trim() || text.trim().split('\n', 1)[0]?.slice(0, 80) || 'paste';
}

/** fileName is the remark or the first heading, then date and time. */
export function fileName(source: Exported, content = contentOf(source), now = new Date()): string {
  const heading = content.querySelector('h1, h2, h3, h4, h5, h6')?.textContent ?? '';
  const name = (source.title.trim() || heading.trim() || 'paste')
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*\s]+/gu, '_')
    .replace(/^[._]+|[._]+$/g, '')
    .slice(0, 80);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `${name || 'paste'}-${day}-${two(now.getHours())}${two(now.getMinutes())}`;
}
