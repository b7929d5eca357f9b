import type { Key } from '../../api/admin/keys';
import type { Bucket, Stats } from '../../api/admin/system';
import { neverEnds } from '../keys/expiry';
import { parseTime } from '../../shared/format';

/** providersOf sums the use of the storages by provider, the greatest first. */
export function providersOf(buckets: readonly Bucket[], other: string): { name: string; used: number }[] {
  const sums = new Map<string, number>();
  for (const bucket of buckets) {
    const name = bucket.providerType || other;
    sums.set(name, (sums.get(name) ?? 0) + bucket.usedStorage);
  }
  return [...sums].map(([name, used]) => ({ name, used })).sort((a, b) => b.used - a.used);
}

/** A day of the chart, in UTC. */
export interface Day {
  date: Date;
  texts: number;
  files: number;
}

/** daysOf names the days of the counts, of which the last is today. */
export function daysOf({ lastWeekPastes, lastWeekFiles }: Stats, now: Date): Day[] {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  return lastWeekPastes.map((texts, at) => ({
    date: new Date(today - (lastWeekPastes.length - 1 - at) * 86_400_000),
    texts,
    files: lastWeekFiles[at] ?? 0,
  }));
}

/** busiest is the first day with the highest number; undefined when nothing was shared. */
export function busiest(days: readonly Day[]): Day | undefined {
  const most = Math.max(0, ...days.map((day) => day.texts + day.files));
  return most === 0 ? undefined : days.find((day) => day.texts + day.files === most);
}

/** madeInWeek counts what came into being in the seven days before now. */
export const madeInWeek = (things: readonly { created_at: string }[], now: Date): number =>
  things.filter((thing) => now.getTime() - parseTime(thing.created_at).getTime() < 7 * 86_400_000).length;

/** endingSoon are the keys that expire within seven days, the soonest first. */
export const endingSoon = (keys: readonly Key[], now: Date): Key[] =>
  keys
    .filter((key) => key.is_active === 1 && key.is_expired === 0 && !neverEnds(key.expires_at))
    .filter((key) => parseTime(key.expires_at).getTime() - now.getTime() < 7 * 86_400_000)
    .sort((a, b) => parseTime(a.expires_at).getTime() - parseTime(b.expires_at).getTime());

/** durationParts splits seconds into days, hours and minutes. */
export const durationParts = (seconds: number) => ({
  days: Math.floor(seconds / 86_400),
  hours: Math.floor((seconds % 86_400) / 3600),
  minutes: Math.floor((seconds % 3600) / 60),
});

/** formatDuration writes a duration in its two greatest units: "3 days 4 hr". */
export function formatDuration(seconds: number, language: string): string {
  const { days, hours, minutes } = durationParts(seconds);
  const unit = (value: number, name: 'day' | 'hour' | 'minute') =>
    new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'long' }).format(value);
  if (days > 0) return `${unit(days, 'day')} ${unit(hours, 'hour')}`;
  return hours > 0 ? `${unit(hours, 'hour')} ${unit(minutes, 'minute')}` : unit(minutes, 'minute');
}
