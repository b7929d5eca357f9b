import type { Language } from '../i18n';

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** formatSize writes bytes with base 1024: "3.2 MB". */
export function formatSize(bytes: number, language: Language): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  // 1023.96 KB would be written as "1,024 KB", so the step is taken where the rounding takes it.
  while (value >= 1023.95 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${formatNumber(Number(value.toFixed(digits)), language)} ${units[unit] ?? 'B'}`;
}

/**
 * formatOver writes a size and the limit that it is over, or almost at, both so exactly that they differ: "10.02 MB" and
 * "10 MB", and a few bytes too many in bytes.
 */
export function formatOver(size: number, limit: number, language: Language): { size: string; limit: string } {
  const unit = units.findLastIndex((_, step) => limit >= 1024 ** step);
  const write = (bytes: number, places: number) => {
    if (places === 1) return formatSize(bytes, language);
    if (places > 3) return `${formatNumber(bytes, language)} B`;
    return `${formatNumber(bytes / 1024 ** unit, language, places)} ${units[unit] ?? 'B'}`;
  };
  let places = 1;
  while (places <= 3 && write(size, places) === write(limit, places)) places++;
  return { size: write(size, places), limit: write(limit, places) };
}

export function formatNumber(value: number, language: Language, places = 1): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: places }).format(value);
}

/** parseTime reads the API's times; the old form without a zone is UTC as well. */
export function parseTime(text: string): Date {
  const utc = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? `${text.replace(' ', 'T')}Z` : text;
  return new Date(utc);
}

/** formatTime writes a time in the browser's zone: "21 Nov 2026, 18:00". */
export function formatTime(time: Date, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(time);
}

/** formatTimeWithZone adds the name of the zone, for tooltips. */
export function formatTimeWithZone(time: Date, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long' }).format(time);
}

const steps: readonly (readonly [limit: number, seconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [60, 1, 'second'],
  [3600, 60, 'minute'],
  [86_400, 3600, 'hour'],
  [30 * 86_400, 86_400, 'day'],
  [365 * 86_400, 30 * 86_400, 'month'],
  [Infinity, 365 * 86_400, 'year'],
];

/** formatRelative writes how far a time is away, rounded: "in 3 days"; Chinese has a space after its figure, as in every text. */
export function formatRelative(time: Date, now: Date, language: Language): string {
  const seconds = (time.getTime() - now.getTime()) / 1000;
  const away = Math.abs(seconds);
  // What rounds up to a whole larger unit is told in that: a day less a second is a day.
  const step =
    steps.find(([limit, size]) => Math.round(away / size) * size < limit) ?? steps[steps.length - 1];
  const [, size, unit] = step ?? [0, 1, 'second' as const];
  return new Intl.RelativeTimeFormat(language)
    .format(Math.sign(seconds) * Math.max(1, Math.round(away / size)), unit)
    .replace(/^\d+(?=[^\d\s])/, '$& ');
}

/** remainingViews is what is left of a limit: undefined without one, else 0 or more. */
export function remainingViews(maxViews: number | null | undefined, views: number): number | undefined {
  return maxViews ? Math.max(0, maxViews - views) : undefined;
}
