import { lazyPart } from '../lazyPart';

/** LazyMarkdownDocument fetches the Markdown stack when a text needs them. */
export const LazyMarkdownDocument = lazyPart(() => import('./MarkdownDocument'));

/** prepareMarkdown fetches all that a text is drawn with; it never rejects. */
export const prepareMarkdown = (text: string): Promise<unknown> =>
  Promise.all([
    LazyMarkdownDocument.prepare(),
    import('./render').then(({ prepareRender }) => prepareRender(text)).catch(() => undefined),
  ]);
