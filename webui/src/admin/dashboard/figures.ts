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

/** spans are how many days the dashboard looks back. */
export const spans = [7, 30, 90] as const;
export type Span = (typeof spans)[number];

/** A Step of the chart: a day in UTC, or the seven days that begin with it. */
export interface Step {
  date: Date;
  texts: number;
  files: number;
}

const day = 86_400_000;

/** stepsOf are the counts of days, of which the last is today; of more than 60 days, those of weeks. */
export function stepsOf({ perDay: { pastes, files } }: Pick<Stats, 'perDay'>, now: Date): Step[] {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const size = pastes.length > 60 ? 7 : 1;
  const steps: Step[] = [];
  // From the end, so that the last week is a whole one.
  for (let end = pastes.length; end > 0; end -= size) {
    const first = Math.max(0, end - size);
    steps.unshift({
      date: new Date(today - (pastes.length - 1 - first) * day),
      texts: sum(pastes.slice(first, end)),
      files: sum(files.slice(first, end)),
    });
  }
  return steps;
}

/** sum adds counts up. */
export const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** busiest is the first step with the highest number; undefined when nothing was shared. */
export function busiest(steps: readonly Step[]): Step | undefined {
  const most = Math.max(0, ...steps.map((step) => step.texts + step.files));
  return most === 0 ? undefined : steps.find((step) => step.texts + step.files === most);
}

/** madeWithin counts what came into being in so many days before now. */
export const madeWithin = (days: number, things: readonly { created_at: string }[], now: Date): number =>
  things.filter((thing) => now.getTime() - parseTime(thing.created_at).getTime() < days * day).length;

/** endingSoon are the keys that expire within seven days, the soonest first. */
export const endingSoon = (keys: readonly Key[], now: Date): Key[] =>
  keys
    .filter((key) => key.is_active === 1 && key.is_expired === 0 && !neverEnds(key.expires_at))
    .filter((key) => parseTime(key.expires_at).getTime() - now.getTime() < 7 * 86_400_000)
    .sort((a, b) => parseTime(a.expires_at).getTime() - parseTime(b.expires_at).getTime());

/** durationParts splits seconds into days, hours and minutes. */
const durationParts = (seconds: number) => ({
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
