import type * as Controls from './decorate';
import type { Decorations } from './decorations';
import { dialectOf } from './dialects';
import { renderedGroups } from './groups';
import { collectHeadings, HeadingIds, type Heading } from './headings';
import { linesOf } from './lines';
import styles from './markdown.module.css';
import { sanitize } from './sanitize';

let controls: typeof Controls | undefined;

/** prepareRender fetches what a text is drawn with besides, so that it then comes in one go. */
export async function prepareRender(text: string): Promise<void> {
  const [decorate] = await Promise.all([mayNeedControls.test(text) && import('./decorate'), dialectOf(text)]);
  if (decorate) controls = decorate;
}

// No block of code, table, picture, box of a task, footnote or formula is written without one of these.
const mayNeedControls = /[`~|[<$\\]|^(?: {4}| *\t)/m;

// What gets controls; a text without them is shown without fetching those.
const decorated = 'img, table, input, .md-fnback, .md-math, .md-formula, pre > code';

/** RenderOptions says what the reader may do with the text, and when to stop rendering it. */
export interface RenderOptions extends Decorations {
  signal?: AbortSignal;
  /** holdImages keeps pictures of other sites away until they are clicked. */
  holdImages?: boolean | undefined;
  /** withLines notes on each block, as data-line, which line of the source it begins on. */
  withLines?: boolean | undefined;
}

/** Place is the element that a text is shown in. What is drawn moves on when another is put in its place. */
export interface Place {
  element: HTMLElement;
}

/**
 * renderMarkdown shows text as Markdown in a place, replacing what was
 * there. What the author wrote as raw HTML passes an allow list.
 *
 * Long documents appear from the top while the rest is still being prepared;
 * the promise resolves when all is there. Rejects with AbortError when the
 * signal fires; the place then holds what had been finished.
 */
export async function renderMarkdown(
  text: string,
  place: Place,
  opts: RenderOptions,
): Promise<{ headings: Heading[] }> {
  let ids = new HeadingIds();
  const headings: Heading[] = [];
  let first = true;
  for await (const { html, blocks, instead } of renderedGroups(text, opts.signal)) {
    opts.signal?.throwIfAborted();
    if (instead) {
      ids = new HeadingIds();
      headings.length = 0;
      first = true;
    }
    const fragment = sanitize(html, opts.holdImages);
    headings.push(...collectHeadings(fragment, ids));
    // Controls are put around the blocks below, each in its block's place.
    const lines = opts.withLines ? linesOf([...fragment.children], blocks) : [];
    if (fragment.querySelector(decorated)) {
      controls ??= await import('./decorate');
      await controls.decorate(fragment, opts);
      opts.signal?.throwIfAborted();
    }
    const section = document.createElement('div');
    section.className = styles.section ?? '';
    section.append(fragment);
    // What belongs together, such as a list, runs one way: that of its first letters.
    for (const block of section.children) if (!block.hasAttribute('dir')) block.setAttribute('dir', 'auto');
    for (const [at, line] of lines.entries()) {
      if (line) section.children[at]?.setAttribute('data-line', String(line));
    }
    if (first) place.element.replaceChildren(section);
    else place.element.append(section);
    first = false;
  }
  if (first) place.element.replaceChildren();
  if (place.element.querySelector('.md-toc')) {
    controls ??= await import('./decorate');
    controls.fillContents(place.element, headings, opts);
  }
  return { headings };
}
