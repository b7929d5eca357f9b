import { lazy } from 'react';
import { loadAreas } from '../../i18n';

/** LazyMarkdownDocument fetches the Markdown stack and its words when a text needs them. */
export const LazyMarkdownDocument = lazy(async () => {
  const [module] = await Promise.all([import('./MarkdownDocument'), loadAreas('markdownView')]);
  return module;
});
