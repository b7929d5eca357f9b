import type { Ask, FileRequest } from '../../api/requests';
import type { Language, Translate } from '../../i18n';
import { formatNumber, formatSize, parseTime } from '../../shared/format';
import { presetNames, presetOf, typesInWords, typesOf, type TypePreset } from '../../shared/requests/types';
import { Time } from '../../shared/ui';
import type { Fields } from '../form/fields';
import { sizeParts } from '../form/size';
import { checks } from '../form/validate';
import { Link } from '../router';
import { Chip } from '../share/cells';
import styles from '../share/share.module.css';

/** Row is a request as the panel keeps it: its name is its title. */
export type Row = FileRequest & { name: string };

const tones = { open: 'ok', full: 'warn', expired: 'danger', ended: 'danger' } as const;

/** localInput is a time as an input of the browser writes it; "" for none. */
function localInput(stored: unknown): string {
  if (typeof stored !== 'string' || stored === '') return '';
  const time = parseTime(stored);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const sizeOf = (stored: unknown) => sizeParts(Number(stored));

const isoOf = (value: unknown) => (value ? new Date(String(value)).toISOString() : null);

/** requestFields are the fields of a request, in the order of its list; `stored` is the one that a form changes. */
export function requestFields(t: Translate, language: Language, stored?: Row): Fields<Row> {
  const check = checks(t);
  const kept = stored && !presetOf(stored.types) ? stored.types : undefined;
  const asks = (['no', 'optional', 'required'] as Ask[]).map((value) => ({
    value,
    label: t(`requests.ask.${value}`),
  }));
  const size = { unitLabel: t('requests.unit'), validate: [check.integer, check.notNegative] };
  const count = (used: string, most: number, show: (value: number) => string) =>
    most > 0 ? `${used} / ${show(most)}` : used;
  return {
    name: {
      kind: 'text',
      of: 'title',
      label: t('requests.title'),
      input: { hint: t('requests.titleHint'), validate: [check.required, check.longest(200)] },
      column: {
        title: true,
        csv: (row) => row.title,
        render: (row) => <Link to={`/admin/requests/${row.id}`}>{row.title}</Link>,
      },
    },
    message: { kind: 'area', label: t('requests.message') },
    folder: {
      kind: 'text',
      label: t('requests.folder'),
      input: { hint: t('requests.folderHint'), placeholder: '/team/inbox' },
      column: { render: (row) => (row.folder ? <code>{row.folder}</code> : t('requests.shares')) },
      ...(stored && { write: () => undefined }),
    },
    state: {
      label: t('requests.state'),
      column: {
        csv: (row) => t(`requests.states.${row.state}`),
        render: (row) => (
          <span className={styles.chips}>
            <Chip tone={tones[row.state]}>{t(`requests.states.${row.state}`)}</Chip>
            {row.has_password && <Chip>{t('requests.password')}</Chip>}
          </span>
        ),
      },
    },
    files: {
      label: t('requests.files'),
      column: {
        number: true,
        render: (row) =>
          count(formatNumber(row.files, language), row.max_files, (value) => formatNumber(value, language)),
      },
    },
    bytes: {
      label: t('requests.bytes'),
      column: {
        number: true,
        render: (row) =>
          count(formatSize(row.bytes, language), row.max_bytes, (value) => formatSize(value, language)),
      },
    },
    types: {
      kind: 'choice',
      label: t('requests.types'),
      initial: 'any',
      read: (value) => presetOf(value as string[]) ?? 'keep',
      write: (value) => (value === 'keep' ? undefined : typesOf(value as TypePreset)),
      input: {
        hint: t('requests.typesHint'),
        choices: [
          ...presetNames.map((value) => ({ value, label: t(`requests.presets.${value}`) })),
          ...(kept
            ? [{ value: 'keep', label: t('requests.presets.keep', { types: typesInWords(kept, t) }) }]
            : []),
        ],
      },
    },
    max_files: {
      kind: 'number',
      label: t('requests.maxFiles'),
      input: { hint: t('requests.maxFilesHint'), validate: [check.integer, check.notNegative] },
    },
    max_bytes: { kind: 'size', label: t('requests.maxBytes'), initial: sizeOf(0), input: size },
    max_file_bytes: {
      kind: 'size',
      label: t('requests.maxFileBytes'),
      initial: sizeOf(0),
      input: size,
    },
    expires_at: {
      kind: 'text',
      label: t('requests.deadline'),
      read: localInput,
      write: isoOf,
      input: {
        type: 'datetime-local',
        hint: t('requests.deadlineHint'),
        validate: (value: unknown) =>
          !value || value === localInput(stored?.expires_at) || new Date(String(value)).getTime() > Date.now()
            ? undefined
            : t('requests.deadlineInvalid'),
      },
      column: {
        render: (row) =>
          row.expires_at ? <Time value={row.expires_at} relative /> : t('admin.share.neverEnds'),
      },
    },
    password: {
      kind: 'secret',
      label: t('requests.password'),
      said: false,
      write: (value, values) => (value ? String(value) : values.open === true ? '' : undefined),
      ...(stored?.has_password && { input: { hint: t('requests.passwordKeep') } }),
    },
    open: { kind: 'switch', label: t('requests.passwordRemove'), said: false, write: () => undefined },
    folder_per_sender: {
      kind: 'switch',
      label: t('requests.perSender'),
      write: (value, values) => Boolean(value) && String(values.folder ?? '') !== '',
    },
    ask_name: { kind: 'choice', label: t('requests.askName'), initial: 'required', input: { choices: asks } },
    ask_note: { kind: 'choice', label: t('requests.askNote'), initial: 'optional', input: { choices: asks } },
    created_at: {
      label: t('admin.share.created'),
      column: { render: (row) => <Time value={row.created_at} /> },
    },
  };
}
