import type { Mount } from '../../api/admin/mounts';
import type { Config } from '../../api/admin/storage';
import type { Translate } from '../../i18n';
import { choicesOf } from '../../shared/ui';
import type { Fields } from '../form/fields';
import { checks } from '../form/validate';
import { Chip, RecordLink } from '../share/cells';
import styles from '../share/share.module.css';
import { pathProblem } from './path';

/** Longest time in seconds for which listings may be kept (§9). */
const longestCache = 86_400;

const policies = ['302_redirect', 'native_proxy'] as const;

/** policyOf is how WebDAV clients get the bytes, as the form knows it. */
export const policyOf = (value: unknown) => policies.find((policy) => policy === value) ?? policies[0];

/** configChoices are storages to choose from. */
export const configChoices = (configs: readonly Config[]) =>
  configs.map((entry) => ({ value: entry.id, label: entry.name }));

/** typeName is what a kind of storage is called; most are called by their own name. */
const typeName = (type: string, t: Translate): string =>
  ({ LOCAL: t('admin.words.localDisk'), WEBDAV: 'WebDAV' })[type] ?? type;

function creatorOf(row: Mount, t: Translate): string {
  if (row.created_by === 'system' || row.created_by === '') return t('admin.words.system');
  return row.created_by.startsWith('apikey:') ? t('admin.keys.key') : t('admin.words.admin');
}

/** mountFields are the fields of a mount, in the order of its list; `configs` are the storages that it may stand for. */
export function mountFields(t: Translate, configs: readonly Config[]): Fields<Mount> {
  const check = checks(t);
  const first = configs.find((entry) => entry.is_default) ?? configs[0];
  const configName = (row: Mount) =>
    configs.find(({ id }) => id === row.storage_config_id)?.name ?? t('admin.words.unknown');
  return {
    name: {
      kind: 'text',
      label: t('admin.mounts.name'),
      input: { validate: [check.required, check.longest(50)] },
      column: {
        title: true,
        sortable: true,
        render: (row) => (
          <RecordLink row={row}>
            {row.is_active ? null : <Chip tone="warn">{t('admin.mounts.inactive')}</Chip>}
          </RecordLink>
        ),
      },
    },
    mount_path: {
      kind: 'text',
      label: t('admin.mounts.path'),
      input: {
        hint: t('admin.mounts.pathHint'),
        placeholder: '/team',
        validate: [
          check.required,
          (value: unknown) => {
            const problem = pathProblem(value);
            return problem && t(problem);
          },
        ],
      },
      column: { sortable: true, render: (row) => <code>{row.mount_path}</code> },
    },
    storage_type: {
      kind: 'choice',
      label: t('admin.mounts.storageType'),
      initial: first?.storage_type ?? 'S3',
      input: {
        validate: [check.required],
        choices: choicesOf([...new Set(configs.map((entry) => entry.storage_type))], (type) =>
          typeName(type, t),
        ),
      },
    },
    storage_config_id: {
      kind: 'choice',
      label: t('admin.mounts.config'),
      initial: first?.id ?? '',
      input: {
        validate: [check.required],
        choices: configChoices(configs),
      },
      column: {
        csv: configName,
        render: (row) => (
          <span>
            {configName(row)} <small>({typeName(row.storage_type, t)})</small>
          </span>
        ),
      },
    },
    remark: {
      kind: 'optional',
      label: t('admin.mounts.remark'),
      column: { render: (row) => (row.remark ? <span className={styles.clip}>{row.remark}</span> : '') },
    },
    delivery: {
      label: t('admin.mounts.delivery'),
      column: {
        csv: false,
        render: (row) =>
          row.web_proxy || row.enable_sign ? (
            <span className={styles.chips}>
              {row.web_proxy ? <Chip>{t('admin.mounts.proxied')}</Chip> : null}
              {row.enable_sign ? <Chip>{t('admin.mounts.signed')}</Chip> : null}
            </span>
          ) : (
            ''
          ),
      },
    },
    sort_order: {
      kind: 'number',
      label: t('admin.mounts.sortOrder'),
      input: { hint: t('admin.mounts.sortHint'), validate: [check.integer] },
      column: { sortable: true, hidden: true, number: true },
    },
    cache_ttl: {
      kind: 'number',
      label: t('admin.mounts.cacheTtl'),
      initial: 300,
      input: {
        hint: t('admin.mounts.cacheHint'),
        validate: [check.integer, check.notNegative, check.most(longestCache)],
      },
      column: { hidden: true, number: true },
    },
    is_active: { kind: 'switch', label: t('admin.mounts.active'), initial: true },
    web_proxy: {
      kind: 'switch',
      label: t('admin.mounts.webProxy'),
      input: { hint: t('admin.mounts.webProxyHint') },
    },
    enable_sign: { kind: 'switch', label: t('admin.mounts.enableSign') },
    sign_expires: {
      kind: 'optionalNumber',
      label: t('admin.mounts.signExpires'),
      input: { hint: t('admin.mounts.signHint'), validate: [check.integer, check.notNegative] },
    },
    webdav_policy: {
      kind: 'choice',
      label: t('admin.mounts.policy'),
      initial: policies[0],
      input: { choices: choicesOf(policies, (value) => t(`admin.mounts.policies.${value}`)) },
    },
    created_at: { label: t('admin.share.created'), column: { sortable: true, as: 'time' } },
    created_by: {
      label: t('admin.share.creator'),
      column: { roomy: true, csv: (row) => creatorOf(row, t), render: (row) => creatorOf(row, t) },
    },
  };
}
