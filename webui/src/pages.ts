import table from './pages.json';

/** Guard is what a page is for, which decides who may use it and the words of its sign-in card. */
export type Guard = 'upload' | 'mount' | 'admin';

/**
 * Page is a line of pages.json, the one place that tells which pages there are. App routes by it; of the build,
 * scripts/pages.mjs makes the server's list from it and scripts/budget.mjs weighs it.
 */
export interface Page {
  /** path is wouter's pattern below the base path; its end may be ":slug" or "*?". */
  path: string;
  /** chunk is the source of its view, below src. */
  chunk: string;
  /** areas are the message areas that it needs at once. */
  areas: readonly string[];
  /** title is the message key of the document's title where the page has no name of its own to show. */
  title: string;
  /** link is the message key of its link in the header. */
  link?: string;
  /** guard is who it is for, where not for everybody. */
  guard?: Guard;
}

/** pages are all pages by name, in the order in which an address is held against them. */
export const pages = table as Record<keyof typeof table, Page>;

/** linked are the pages that the header leads to. */
export const linked = Object.values(pages).filter((page): page is Page & { link: string } => !!page.link);

/** addressOf is the address of a page that needs no slug. */
export const addressOf = ({ path }: Page): string => path.replace('/*?', '');

/** pageAt is the page of an address below the base path; an unknown one has the last. */
export const pageAt = (address: string): Page =>
  Object.values(pages).find(({ path }) =>
    new RegExp(`^${path.replace('/*?', '(/.*)?').replace(/:\w+/, '[^/]+')}/?$`).test(address),
  ) ?? pages.missing;
