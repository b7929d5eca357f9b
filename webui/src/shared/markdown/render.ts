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
  [controls] = await Promise.all([import('./decorate'), dialectOf(text)]);
}

// What gets controls; a text without them is shown without fetching those.
const decorated = 'img, table, input, .md-fnback, .md-math, .md-formula, pre > code';

/** RenderOptions says what the reader may do with the text, and when to stop rendering it. */
interface RenderOptions extends Decorations {
  signal?: AbortSignal;
  /** holdImages keeps pictures of other sites away until they are clicked. */
  holdImages?: boolean | undefined;
  /** withLines notes on each block, as data-line, which line of the source it begins on. */
  withLines?: boolean | undefined;
}

/**
 * renderMarkdown shows text as Markdown inside `into`, replacing what was
 * there. What the author wrote as raw HTML passes an allow list.
 *
 * Long documents appear from the top while the rest is still being prepared;
 * the promise resolves when all is there. Rejects with AbortError when the
 * signal fires; `into` then holds what had been finished.
 */
export async function renderMarkdown(
  text: string,
  into: HTMLElement,
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
    for (const [at, line] of lines.entries()) {
      if (line) section.children[at]?.setAttribute('data-line', String(line));
    }
    if (first) into.replaceChildren(section);
    else into.append(section);
    first = false;
  }
  if (first) into.replaceChildren();
  if (into.querySelector('.md-toc')) {
    controls ??= await import('./decorate');
    controls.fillContents(into, headings, opts);
  }
  return { headings };
}
