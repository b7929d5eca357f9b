import type { CreatedPaste } from '../../api/types';

/** A share made in this tab, as its box shows it. The password stays in memory only. */
export interface MadeShare {
  /** id is missing for those of an earlier version of the page. */
  id?: string;
  slug: string;
  remark: string;
  expiresAt: string | null;
  maxViews: number;
  hasPassword: boolean;
  /** password as it was typed; "" after a reload. */
  password: string;
}

const key = 'pp.recentShares';
const kept = 5;

export function madeShare(answer: CreatedPaste, password: string): MadeShare {
  return {
    id: answer.id,
    slug: answer.slug,
    remark: answer.remark ?? '',
    expiresAt: answer.expiresAt,
    maxViews: answer.maxViews ?? 0,
    hasPassword: answer.hasPassword,
    password,
  };
}

const isShare = (value: unknown): value is MadeShare =>
  typeof value === 'object' && value !== null && typeof (value as Partial<MadeShare>).slug === 'string';

/** recentShares gives the shares made in this tab, newest first. */
export function recentShares(): MadeShare[] {
  try {
    const list: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    return Array.isArray(list) ? list.filter(isShare) : [];
  } catch {
    return [];
  }
}

/** rememberShare puts a share in front of the list, without its password. */
export function rememberShare(share: MadeShare): MadeShare[] {
  const list = [{ ...share, password: '' }, ...recentShares().filter((other) => other.slug !== share.slug)];
  try {
    sessionStorage.setItem(key, JSON.stringify(list.slice(0, kept)));
  } catch {
    // A blocked store only means that a reload forgets the list.
  }
  return list.slice(0, kept);
}
