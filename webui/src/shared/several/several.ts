import type { Landing, NewCollection } from '../../api/types';

/** Several is what only one link for several files has, as a form holds it. */
export interface Several {
  /** downloads is the limit of downloads as typed; "" and 0 are none. */
  downloads: string;
  /** look is what visitors see first; "" is what they have chosen before. */
  look: Landing;
}

export const landings = ['', 'list', 'grid', 'gallery', 'preview'] as const satisfies Landing[];

export const noSeveral: Several = { downloads: '', look: '' };

/** downloadsWrong says that the limit cannot be sent as it is. */
export const downloadsWrong = ({ downloads }: Several): boolean => !/^\d{0,6}$/.test(downloads.trim());

/** severalOf is what a new link is asked for; nothing where nothing was chosen. */
export const severalOf = ({ downloads, look }: Several): Pick<NewCollection, 'max_downloads' | 'look'> => ({
  ...(Number(downloads) > 0 && { max_downloads: Number(downloads) }),
  ...(look && { look }),
});
