import type { Translate } from '../../i18n';

/** formatDuration writes seconds in the largest unit that fits, rounded up. */
export function formatDuration(seconds: number, t: Translate): string {
  if (seconds < 60) return t('file.progress.seconds', Math.max(1, Math.ceil(seconds)));
  if (seconds < 3600) return t('file.progress.minutes', Math.ceil(seconds / 60));
  return t('file.progress.hours', Math.ceil(seconds / 3600));
}
