import { parseTime } from '../../shared/format';

export type KeyExpiry = 'keep' | 'day' | 'week' | 'month' | 'never' | 'days' | 'custom';

/** Most days that may be typed. */
export const longestDays = 36_500;

const presets: Partial<Record<KeyExpiry, number>> = { day: 1, week: 7, month: 30 };

/** never is how the API writes that a key has no end. */
export const never = '9999-12-31T23:59:59Z';

/** neverEnds says whether the API means "never", which it writes as the year 9999. */
export const neverEnds = (expiresAt: string): boolean => parseTime(expiresAt).getUTCFullYear() >= 9999;

/** What was typed besides the choice: a local date and time, or a number of days. */
interface Typed {
  at: string;
  days: number;
}

/** expiryOf is what is sent for a choice: undefined keeps what is there, null is never. */
export function expiryOf(choice: KeyExpiry, typed: Typed, now: Date): string | null | undefined {
  if (choice === 'keep') return undefined;
  if (choice === 'never') return null;
  if (choice === 'custom') return new Date(typed.at).toISOString();
  const days = choice === 'days' ? typed.days : (presets[choice] ?? 1);
  return new Date(now.getTime() + days * 86_400_000).toISOString();
}

/** inFuture says whether a local date and time may be an end. */
export const inFuture = (at: string, now: Date): boolean => new Date(at).getTime() > now.getTime();
