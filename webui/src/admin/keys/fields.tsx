import type { FieldValues } from 'react-hook-form';
import type { Key } from '../../api/admin/keys';
import { namesOf, permissions } from '../../auth/permissions';
import { useT, type Language, type Translate } from '../../i18n';
import { formatSize, formatTime, parseTime } from '../../shared/format';
import { choicesOf, CopyButton, Time } from '../../shared/ui';
import type { Fields } from '../form/fields';
import { checks } from '../form/validate';
import { Chip, RecordLink } from '../share/cells';
import styles from '../share/share.module.css';
import { groups, type Group } from './bits';
import { expiryOf, inFuture, longestDays, neverEnds, type KeyExpiry } from './expiry';

/** presets are the ends that a key may be given. */
const presets: readonly KeyExpiry[] = ['day', 'week', 'month', 'never', 'days', 'custom'];

/** keyFields are the fields of a key, in the order of its list; `stored` is the one that a form changes. */
export function keyFields(t: Translate, language: Language, stored?: Key): Fields<Key> {
  const check = checks(t);
  const until = (key: Key) =>
    neverEnds(key.expires_at) ? t('admin.share.neverEnds') : formatTime(parseTime(key.expires_at), language);
  const begun = stored ? 'keep' : 'month';
  const rightsOf = (value: unknown) =>
    namesOf(Number(value))
      .map((name) => t(`admin.keys.bits.${name}`))
      .join(', ');
  return {
    name: {
      kind: 'text',
      label: t('admin.keys.name'),
      input: { validate: [check.required, check.longest(100)] },
      column: {
        title: true,
        sortable: true,
        render: (row) => (
          <RecordLink row={row}>{row.is_guest ? <Chip>{t('admin.keys.guest')}</Chip> : null}</RecordLink>
        ),
      },
    },
    key_masked: {
      label: t('admin.keys.key'),
      column: {
        render: (row) => (
          <>
            <span className={styles.file}>
              <code>{row.key_masked}</code>
              <CopyButton iconOnly text={row.key_masked} label={t('admin.keys.copyMasked')} />
            </span>
            {row.former && (
              <span className={styles.line}>
                {t('admin.keys.former', {
                  key: row.former.key_masked,
                  until: formatTime(parseTime(row.former.until), language),
                })}
              </span>
            )}
          </>
        ),
      },
    },
    // The bits have an input of their own.
    permissions: {
      kind: 'number',
      label: t('admin.keys.permissions'),
      said: rightsOf,
      column: { render: (row) => <Rights bits={row.permissions} /> },
    },
    basic_path: {
      kind: 'text',
      label: t('admin.keys.path'),
      initial: '/',
      column: { sortable: true, render: (row) => <code>{row.basic_path}</code> },
    },
    expiry: {
      kind: 'choice',
      of: 'expires_at',
      label: t('admin.keys.expiry'),
      // A stored key keeps its end unless another one is chosen.
      read: () => begun,
      initial: begun,
      input: {
        choices: choicesOf(stored ? ['keep', ...presets] : presets, (value) =>
          t(`admin.keys.presets.${value}`, { until: stored ? until(stored) : '' }),
        ),
      },
      write: chosenEnd,
      said(value, values, key) {
        const chosen = chosenEnd(value, values);
        const end = chosen === undefined ? key?.expires_at : chosen;
        return !end || neverEnds(end) ? t('admin.share.neverEnds') : end;
      },
      column: {
        sortable: true,
        csv: (row) => (neverEnds(row.expires_at) ? t('admin.share.neverEnds') : row.expires_at),
        render: (row) => (
          <span className={styles.chips}>
            {row.is_expired ? <Chip tone="danger">{t('admin.keys.expired')}</Chip> : null}
            {row.is_active ? null : <Chip tone="warn">{t('admin.keys.off')}</Chip>}
            {neverEnds(row.expires_at) ? (
              t('admin.share.neverEnds')
            ) : (
              <Time value={row.expires_at} relative />
            )}
          </span>
        ),
      },
    },
    expiry_days: {
      kind: 'number',
      label: t('admin.keys.expiryDays'),
      initial: '90',
      input: { validate: check.integerIn(1, longestDays) },
      ...aside,
    },
    expiry_at: {
      kind: 'text',
      label: t('admin.keys.expiryAt'),
      input: {
        type: 'datetime-local',
        validate: (value: unknown) =>
          inFuture(String(value), new Date()) ? undefined : t('admin.keys.expiryInvalid'),
      },
      ...aside,
    },
    role: {
      kind: 'choice',
      label: t('admin.keys.role'),
      initial: 'GENERAL',
      input: {
        hint: t('admin.keys.roleHint'),
        choices: choicesOf(['GENERAL', 'GUEST', 'ADMIN'], (value) => t(`admin.keys.roles.${value}`)),
      },
    },
    last_used: {
      label: t('admin.keys.lastUsed'),
      column: {
        sortable: true,
        render: (row) => (row.last_used ? <Time value={row.last_used} relative /> : t('admin.words.never')),
      },
    },
    usage: {
      label: t('admin.uploads.title'),
      column: {
        csv: false,
        render: ({ usage }) =>
          usage && (usage.bytes_today > 0 || usage.bytes_stored > 0)
            ? (['today', 'stored'] as const).map((name) => (
                <span key={name} className={styles.line}>
                  {t(`admin.uploads.line.${name}`, { size: formatSize(usage[`bytes_${name}`], language) })}
                </span>
              ))
            : t('admin.uploads.none'),
      },
    },
    is_guest: {
      kind: 'switch',
      label: t('admin.keys.guest'),
      input: { hint: t('admin.keys.guestHint') },
      column: { hidden: true, render: (row) => t(row.is_guest ? 'admin.words.yes' : 'admin.words.no') },
    },
    // A new key is on, and only a new one has a value to choose.
    ...(stored
      ? {
          is_active: {
            kind: 'switch',
            label: t('admin.keys.active'),
            input: { hint: t('admin.keys.activeHint') },
          },
        }
      : {
          custom: { kind: 'switch', label: t('admin.keys.custom'), ...aside },
          custom_key: {
            kind: 'text',
            label: t('admin.keys.customKey'),
            input: {
              hint: t('admin.keys.customRule'),
              autoComplete: 'off',
              validate: [
                check.required,
                (value: unknown) =>
                  /^[A-Za-z0-9_-]*$/.test(String(value).trim()) ? undefined : t('admin.keys.customRule'),
              ],
            },
            write: (value, { custom }) => (custom ? String(value).trim() : undefined),
          },
        }),
    created_at: { label: t('admin.share.created'), column: { sortable: true, hidden: true, as: 'time' } },
  };
}

/** aside is what stands in the form for another field's sake. */
const aside = { write: () => undefined, said: false } as const;

/** chosenEnd is what is sent for a choice of the end: undefined keeps what is there, null is never. */
const chosenEnd = (choice: unknown, { expiry_at, expiry_days }: FieldValues) =>
  expiryOf(choice as KeyExpiry, { at: String(expiry_at), days: Number(expiry_days) }, new Date());

/** Rights are the permissions of a key as chips, one per group. */
export function Rights({ bits }: { bits: number }) {
  const t = useT();
  if (bits === 0) return t('admin.keys.noRights');
  return (
    <span className={styles.chips}>
      {(Object.keys(groups) as Group[]).map((group) => {
        const all = groups[group];
        const set = all.filter((name) => (bits & permissions[name]) !== 0);
        if (set.length === 0) return null;
        const label = t(`admin.keys.groups.${group}`);
        return (
          <span key={group} title={set.map((name) => t(`admin.keys.bits.${name}`)).join(', ')}>
            <Chip>{all.length === 1 ? label : `${label} ${set.length}/${all.length}`}</Chip>
          </span>
        );
      })}
    </span>
  );
}
