import { parseTime } from '../../shared/format';

export type KeyExpiry = 'keep' | 'day' | 'week' | 'month' | 'never' | 'custom';

const days: Partial<Record<KeyExpiry, number>> = { day: 1, week: 7, month: 30 };

/** neverEnds says whether the API means "never", which it writes as the year 9999. */
export const neverEnds = (expiresAt: string): boolean => parseTime(expiresAt).getUTCFullYear() >= 9999;

/** expiryOf is what is sent for a choice: undefined keeps what is there, null is never. */
export function expiryOf(choice: KeyExpiry, at: string, now: Date): string | null | undefined {
  if (choice === 'keep') return undefined;
  if (choice === 'never') return null;
  if (choice === 'custom') return new Date(at).toISOString();
  return new Date(now.getTime() + (days[choice] ?? 1) * 86_400_000).toISOString();
}

/** inFuture says whether a local date and time may be an end. */
export const inFuture = (at: string, now: Date): boolean => new Date(at).getTime() > now.getTime();
