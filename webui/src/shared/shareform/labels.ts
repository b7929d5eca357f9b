import type { Translate } from '../../i18n';
import { hoursOf, type Expiry } from './values';

/** expiryLabel names a choice of the form. */
export function expiryLabel(expiry: Expiry, t: Translate): string {
  return expiry === 'usual' || expiry === 'longest'
    ? durationLabel(hoursOf(expiry) ?? 0, t)
    : t(`share.expiry.${expiry}`);
}

/** durationLabel says hours in days where they are whole. */
export const durationLabel = (hours: number, t: Translate): string =>
  hours % 24 === 0 ? t('share.days', hours / 24) : t('share.hours', hours);
