import type { Language, Translate } from '../../i18n';
import { formatTime } from '../format';

interface Limits {
  /** maxViews; 0 is unlimited. */
  maxViews: number;
  expiresAt: Date | null;
  hasPassword: boolean;
}

/** limitsText says in a sentence or two how long and how often a share opens. */
export function limitsText(
  { maxViews, expiresAt, hasPassword }: Limits,
  t: Translate,
  language: Language,
): string {
  const until = expiresAt ? formatTime(expiresAt, language) : '';
  const opens =
    maxViews && until
      ? t('shareBox.limits.viewsUntil', { smart_count: maxViews, until })
      : maxViews
        ? t('shareBox.limits.views', maxViews)
        : until
          ? t('shareBox.limits.until', { until })
          : t('shareBox.limits.always');
  return hasPassword
    ? t('shareBox.limits.both', { first: opens, second: t('shareBox.limits.password') })
    : opens;
}
