import { lazyPart } from '../lazyPart';

/** LazyMarkdownDocument fetches the Markdown stack and its words when a text needs them. */
export const LazyMarkdownDocument = lazyPart(() => import('./MarkdownDocument'), 'markdownView');
