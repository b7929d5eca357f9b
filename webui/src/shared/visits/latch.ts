import type { NewLatch } from '../../api/types';

/** Latch is who may open a share at all, and how its end moves, as a form holds it. */
export interface Latch {
  keyOnly: boolean;
  /** slides says that every opening moves the end. */
  slides: boolean;
  /** days after it was last opened, as typed. */
  days: string;
  /** until is the last day that the end may move to, of a date field; "" is none. */
  until: string;
}

export const openLatch: Latch = { keyOnly: false, slides: false, days: '7', until: '' };

/** Most days that an end may move by at once. */
export const mostDays = 3650;

/** daysWrong says that the days cannot be sent as they are. */
export const daysWrong = ({ slides, days }: Latch): boolean =>
  slides && !(/^\d+$/.test(days) && Number(days) >= 1 && Number(days) <= mostDays);

/** lastOf is the end of a day; of the day that was there before, the very moment. */
export function lastOf(day: string, before: string | null = null): string | null {
  if (!day) return null;
  return before?.slice(0, 10) === day ? before : new Date(`${day}T23:59:59`).toISOString();
}

/** latchOf is what a new share is asked for; nothing of one that everybody may open and whose end stays. */
export const latchOf = ({ keyOnly, slides, days, until }: Latch): NewLatch => ({
  ...(keyOnly && { key_only: true }),
  ...(slides && { sliding_days: Number(days), sliding_until: lastOf(until) }),
});
