import type { Rules } from '../../api/admin/operations';
import type { Language } from '../../i18n';

const texts = import.meta.glob<string>('../../../../policies/gallery/*.rego', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const textOf = (file: string) => texts[`../../../../policies/gallery/${file}`] ?? '';

/** A Blank is a value of a ready rule that its author fills in; it stands in the rule as a constant of this name. */
export interface Blank {
  constant: string;
  label:
    | 'types'
    | 'mib'
    | 'zone'
    | 'from'
    | 'to'
    | 'folders'
    | 'days'
    | 'files'
    | 'requests'
    | 'views'
    | 'hours'
    | 'hosts'
    | 'networks';
  kind: 'words' | 'number' | 'time' | 'zone';
}

const words = (constant: string, label: Blank['label']): Blank => ({ constant, label, kind: 'words' });
const number = (constant: string, label: Blank['label']): Blank => ({ constant, label, kind: 'number' });

/** readyRules are the rules of the gallery by the names of their files, with what is filled in. */
export const readyRules = {
  guest_types: [words('_guest_types', 'types'), number('_guest_types_mib', 'mib')],
  types_refused: [words('_refused_types', 'types')],
  delete_hours: [
    { constant: '_delete_from', label: 'from', kind: 'time' },
    { constant: '_delete_to', label: 'to', kind: 'time' },
    { constant: '_delete_zone', label: 'zone', kind: 'zone' },
  ],
  folder_unshared: [words('_unshared_folders', 'folders')],
  folder_kept: [words('_kept_folders', 'folders')],
  guest_password: [number('_guest_password_days', 'days')],
  share_age: [number('_share_age_days', 'days')],
  share_views: [number('_share_views', 'views')],
  link_life: [number('_link_life_hours', 'hours')],
  key_quota: [number('_key_quota_mib', 'mib'), number('_key_quota_files', 'files')],
  guest_rate: [number('_guest_rate', 'requests')],
  fetch_hosts: [words('_fetch_hosts', 'hosts')],
  network_writes: [words('_writing_networks', 'networks')],
} satisfies Record<string, Blank[]>;

export type ReadyRule = keyof typeof readyRules;

/** Filled is what stands in the blanks, by their labels, as a person writes it. */
export type Filled = Partial<Record<Blank['label'], string>>;

const lineOf = (constant: string) => new RegExp(`^${constant} := (.*)$`, 'm');
const wordsIn = (value: string) => [...new Set(value.split(/[\s,，、]+/).filter(Boolean))].sort();
const clock = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** filledIn reads the values of a ready rule: those of the rules that are written, else the ones it comes with, in the time zone of who fills it in. */
export function filledIn(rule: ReadyRule, written: Rules): Filled {
  const filled: Filled = {};
  for (const { constant, label, kind } of readyRules[rule]) {
    const value =
      lineOf(constant).exec(written[`${rule}.rego`] ?? '')?.[1] ??
      (kind === 'zone' ? new Intl.DateTimeFormat().resolvedOptions().timeZone : undefined) ??
      lineOf(constant).exec(textOf(`${rule}.rego`))?.[1] ??
      '';
    const minutes = Number(value);
    filled[label] =
      kind === 'words'
        ? [...value.matchAll(/"([^"]*)"/g)].map(([, word]) => word).join(', ')
        : kind === 'time'
          ? `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
          : value.replaceAll('"', '');
  }
  return filled;
}

/** saidWith are the values as the sentence of a rule has them, in the reader's language. */
export const saidWith = (filled: Filled, language: Language): Filled =>
  Object.fromEntries(
    Object.entries(filled).map(([label, value]) => [
      label,
      language === 'zh-CN' ? value?.replaceAll(', ', '、') : value,
    ]),
  );

/** rulesOf are the files of a ready rule and its test, with the values in. */
export function rulesOf(rule: ReadyRule, filled: Filled): Rules {
  let text = textOf(`${rule}.rego`);
  for (const { constant, label, kind } of readyRules[rule]) {
    const value = (filled[label] ?? '').trim();
    const [, hour, minute] = clock.exec(value) ?? [];
    const written =
      kind === 'words'
        ? `{${wordsIn(value)
            .map((word) => JSON.stringify(word))
            .join(', ')}}`
        : kind === 'time'
          ? String(Number(hour) * 60 + Number(minute))
          : kind === 'zone'
            ? JSON.stringify(value)
            : String(Number(value));
    text = text.replace(lineOf(constant), () => `${constant} := ${written}`);
  }
  return { [`${rule}.rego`]: text, [`${rule}_test.rego`]: textOf(`${rule}_test.rego`) };
}

const isNetwork = (word: string) => {
  const [, address = '', bits = ''] = /^([\da-fA-F:.]+)\/(\d{1,3})$/.exec(word) ?? [];
  if (address.includes(':')) return URL.canParse(`http://[${address}]`) && Number(bits) <= 128;
  return /^(\d{1,3}\.){3}\d{1,3}$/.test(address) && URL.canParse(`http://${address}`) && Number(bits) <= 32;
};

const accepts: Partial<Record<Blank['label'], (word: string) => boolean>> = {
  types: (word) => /^[a-z0-9]{1,16}$/.test(word),
  folders: (word) => /^\/([^/"\\]+(\/[^/"\\]+)*)?$/.test(word),
  hosts: (word) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(word),
  networks: isNetwork,
};

function isZone(value: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return value !== '';
  } catch {
    return false;
  }
}

/** isWrong tells whether a value cannot stand in a blank. */
export function isWrong({ label, kind }: Blank, value = ''): boolean {
  const text = value.trim();
  if (kind === 'words') {
    const all = wordsIn(text);
    return all.length === 0 || all.length > 100 || !all.every((word) => accepts[label]?.(word));
  }
  if (kind === 'time') return !clock.test(text);
  if (kind === 'zone') return !isZone(text);
  return !/^[1-9]\d{0,6}$/.test(text);
}
