import type { ReactNode } from 'react';
import { hasMessage, type Translate } from '../../i18n';
import { choicesOf } from '../../shared/ui';
import type { FieldDef, Fields } from '../form/fields';
import { checks } from '../form/validate';

/** Stored are settings as the server keeps them: all are texts. */
export type Stored = Record<string, string>;

/** A Setting is a field of a settings page; its words stand in the catalogue under its own name. */
export interface Setting extends Omit<FieldDef<Stored>, 'label'> {
  /** values are those that can be chosen. */
  values?: readonly string[];
  /** pair lets it share a line with the next one where there is room. */
  pair?: boolean;
  /** shown stands in place of its input. */
  shown?: ReactNode;
  /** below shows how it is understood, or what it looks like. */
  below?: ReactNode;
}

/** A SettingSection is a part of a settings page, with its settings in their order. */
export interface SettingSection {
  /** name is that of its heading in the catalogue, and of what is said below it. */
  name: string;
  /** warning has the intro stand out. */
  warning?: boolean;
  settings: Record<string, Setting>;
}

/** fieldsOf are the settings of a page as fields of a form. */
export const fieldsOf = (sections: readonly SettingSection[], t: Translate): Fields<Stored> =>
  Object.fromEntries(
    sections
      .flatMap(({ settings }) => Object.entries(settings))
      .map(([name, { values = [], input, ...field }]) => {
        const hint = `admin.settings.hints.${name}`;
        const choices = choicesOf(values, (value) =>
          t(`admin.settings.choices.${name}.${value.replace(',', '_')}`),
        );
        return [
          name,
          {
            ...field,
            label: t(`admin.settings.labels.${name}`),
            input: { ...(hasMessage(hint) && { hint: t(hint) }), choices, ...input },
          },
        ];
      }),
  );

/** textsOf writes what is sent as the server keeps it. */
export const textsOf = (draft: Record<string, unknown>): Stored =>
  Object.fromEntries(Object.entries(draft).map(([name, value]) => [name, String(value)]));

/** on is a switch. */
export const on: Setting = { kind: 'switch' };

/** choice is one of several values. */
export const choice = (...values: string[]): Setting => ({ kind: 'choice', values });

/** integer is a whole number from `least` to `most`. */
export const integer = (t: Translate, most?: number, least = 0): Setting => ({
  kind: 'number',
  input: { validate: checks(t).integerIn(least, most) },
});
