import { makeStore } from '../store';

/** moving is how far the uploads of this tab are, in percent, for pages that do not list them; null when there are none. */
export const moving = makeStore<number | null>(null);

/** movingAt is the path of the page that lists them. */
export const movingAt = makeStore('/upload');
