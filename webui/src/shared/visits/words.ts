import type { Visit } from '../../api/visits';
import type { Translate } from '../../i18n';

/** whoText names who came: a key, an administrator or a visitor; many that were counted together are told by number. */
export function whoText(visit: Visit, t: Translate): string {
  if (visit.key_name) return visit.key_name;
  if (visit.who) return t(visit.who.startsWith('apikey:') ? 'visits.someone' : 'visits.admin');
  return visit.times > 1 && !visit.address && !visit.agent
    ? t('visits.many', visit.times)
    : t('visits.visitor');
}

/** whatText says what was opened. */
export const whatText = (visit: Visit, t: Translate): string =>
  visit.item
    ? t('visits.how.of', { how: t(`visits.how.${visit.how}`), item: visit.item })
    : t(`visits.how.${visit.how}`);
