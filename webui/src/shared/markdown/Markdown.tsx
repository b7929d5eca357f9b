import { useEffectEvent, useLayoutEffect, useRef } from 'react';
import { useT } from '../../i18n';
import { copyText } from '../clipboard';
import { siteRules } from '../rules';
import { takeAhead } from './ahead';
import type { Decorations } from './decorations';
import type { Heading } from './headings';
import type { RenderOptions } from './render';

interface Props extends Pick<Decorations, 'tickTasks' | 'onImage' | 'onHtml'> {
  text: string;
  /** ofSite says that the administrator wrote the text, whose pictures are loaded in privacy mode too. */
  ofSite?: boolean;
  /** withLines notes the source's lines on the blocks, for scrolling along. */
  withLines?: boolean;
  /** Called each time the text has been rendered to its end. */
  onHeadings?: (headings: Heading[]) => void;
}

/** Markdown shows a text as the paste page does: sanitised, with controls at its code blocks. */
export function Markdown({
  text,
  ofSite = false,
  withLines = false,
  onHeadings,
  tickTasks,
  onImage,
  onHtml,
}: Props) {
  const t = useT();
  const root = useRef<HTMLDivElement>(null);
  const rendered = useEffectEvent((headings: Heading[]) => onHeadings?.(headings));
  const openImage = useEffectEvent((images: HTMLImageElement[], index: number) => onImage?.(images, index));
  const openHtml = useEffectEvent((source: string) => onHtml?.(source));
  const images = onImage !== undefined;
  const html = onHtml !== undefined;

  // Before the browser draws: what is at hand by then comes with the page around it.
  useLayoutEffect(() => {
    const into = root.current;
    if (!into) return;
    const stop = new AbortController();
    const opts: RenderOptions = {
      signal: stop.signal,
      withLines,
      holdImages: siteRules().privacy && !ofSite,
      label: (key, values) => t(`markdownView.${key}`, values),
      copy: copyText,
      tickTasks,
      onImage: images ? (all, index) => openImage(all, index) : undefined,
      onHtml: html ? (source) => openHtml(source) : undefined,
    };
    const show = async () => {
      const { showMarkdown } = await import('./drawn');
      stop.signal.throwIfAborted();
      return showMarkdown(text, into, opts);
    };
    const render = async () => {
      const { headings } = await (takeAhead(text)?.moveTo(into, opts) ?? show());
      if (!stop.signal.aborted) rendered(headings);
    };
    render().catch((error: unknown) => {
      if (stop.signal.aborted) return;
      // A text that cannot be rendered is still a text.
      console.error(error);
      into.textContent = text;
      rendered([]);
    });
    return () => stop.abort();
  }, [text, t, tickTasks, images, html, ofSite, withLines]);

  return <div ref={root} />;
}
