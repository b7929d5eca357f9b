/** Names of the caches besides the worker's precache. Signing out deletes all of them. */
export const cacheNames = {
  assets: 'pp-assets',
  images: 'pp-images',
  site: 'pp-site',
  facts: 'pp-facts',
  /** small pictures of the explorer, by account */
  pictures: 'pp-thumbs',
  /** what another app has just shared with this one, until the page has taken it */
  shared: 'pp-shared',
};

/** nameHeader carries the name of a shared file, percent-encoded. */
export const nameHeader = 'X-Name';

/** sharedAtHeader carries when something was shared, in milliseconds. */
export const sharedAtHeader = 'X-Shared-At';

/** sharedPlace is where the worker puts what was shared: the text, and the files by number. */
export const sharedPlace = (base: string, what: 'text' | number) => `${base}share-target/${what}`;
