import type { Digest } from '../../api/admin/channels';
import type { Language, Translate } from '../../i18n';

/** digestChoices are the choices of a select. */
export const digestChoices = (t: Translate) =>
  (['', 'hourly', 'daily', 'weekly'] satisfies Digest[]).map((value) => ({
    value,
    label: t(`channels.digests.${value || 'none'}`),
  }));

// Monday, 8:00 UTC: the server sends by UTC, and people read their own time.
const sent = new Date(Date.UTC(2026, 10, 30, 8));

/** digestHint says when digests are sent, in the time of the browser; undefined where there are none. */
export function digestHint(digest: string, t: Translate, language: Language, timeZone?: string) {
  const say = (parts: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...parts, timeZone }).format(sent);
  const time = () => say({ hour: 'numeric', minute: '2-digit' });
  switch (digest) {
    case 'hourly':
      return t('channels.digestHints.hourly');
    case 'daily':
      return t('channels.digestHints.daily', { time: time() });
    case 'weekly':
      return t('channels.digestHints.weekly', { day: say({ weekday: 'long' }), time: time() });
    default:
      return undefined;
  }
}
