import { leaveAhead } from './ahead';
import type { Heading } from './headings';
import styles from './markdown.module.css';
import { renderMarkdown, type Place, type RenderOptions } from './render';

type Rendered = Promise<{ headings: Heading[] }>;

/** drawAhead draws a text before the page is there that will show it (see textFirst.ts), for its reader to have at once. */
export function drawAhead(
  text: string,
  into: HTMLElement,
  opts: Pick<RenderOptions, 'label' | 'copy' | 'holdImages'>,
): Rendered {
  into.className = styles.markdown ?? '';
  const place: Place = { element: into };
  const stop = new AbortController();
  let can: Partial<RenderOptions> = {};
  const rendered = renderMarkdown(text, place, {
    ...opts,
    signal: stop.signal,
    tickTasks: true,
    onImage: (images, index) => can.onImage?.(images, index),
    onHtml: (source) => can.onHtml?.(source),
  });
  leaveAhead({
    text,
    moveTo(element, given) {
      element.classList.add(styles.markdown ?? '');
      can = given;
      if (given.signal?.aborted) stop.abort();
      given.signal?.addEventListener('abort', () => stop.abort());
      element.replaceChildren(...place.element.childNodes);
      place.element = element;
      return rendered;
    },
  });
  return rendered;
}

/** showMarkdown shows a text in an element (see renderMarkdown). */
export function showMarkdown(text: string, into: HTMLElement, opts: RenderOptions): Rendered {
  into.classList.add(styles.markdown ?? '');
  return renderMarkdown(text, { element: into }, opts);
}
