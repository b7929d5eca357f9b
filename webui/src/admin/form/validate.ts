import type { Translate } from '../../i18n';

/** A Check answers what is wrong with a value, in words; undefined when it may be sent (§5). */
export type Check = (value: unknown) => string | undefined;

const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value).trim());

/** checks are the rules that several forms share. */
export const checks = (t: Translate) => {
  const rules = rulesOf(t);
  return {
    ...rules,
    /** integerIn is a whole number that must be there, from `min` to `max`. */
    integerIn: (min = 0, max = Infinity): Check[] => [
      rules.required,
      rules.integer,
      min > 0 ? rules.least(min) : rules.notNegative,
      rules.most(max),
    ],
  };
};

const rulesOf = (t: Translate) => ({
  required: ((value) => (text(value) === '' ? t('admin.form.required') : undefined)) as Check,

  longest:
    (max: number): Check =>
    (value) =>
      [...text(value)].length > max ? t('admin.form.atMostChars', { max }) : undefined,

  /** whole numbers; "" is left to `required`. */
  integer: ((value) =>
    text(value) === '' || /^-?\d{1,15}$/.test(text(value)) ? undefined : t('admin.form.integer')) as Check,

  notNegative: ((value) => (Number(text(value)) < 0 ? t('admin.form.notNegative') : undefined)) as Check,

  least:
    (min: number): Check =>
    (value) =>
      text(value) !== '' && Number(text(value)) < min ? t('admin.form.atLeast', { min }) : undefined,

  most:
    (max: number): Check =>
    (value) =>
      Number(text(value)) > max ? t('admin.form.atMost', { max }) : undefined,

  url: ((value) => {
    const given = text(value);
    if (given === '') return undefined;
    try {
      const { protocol, hostname } = new URL(given);
      return /^https?:$/.test(protocol) && hostname !== '' ? undefined : t('admin.form.url');
    } catch {
      return t('admin.form.url');
    }
  }) as Check,
});
