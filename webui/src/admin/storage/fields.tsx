import type { Config, Driver, DriverField } from '../../api/admin/storage';
import type { Language, Translate } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Time } from '../../shared/ui';
import { isOn, valuesOf, type FieldDef, type Fields } from '../form/fields';
import { bytesOf, sizeParts } from '../form/size';
import { checks } from '../form/validate';
import { Chip, RecordLink } from '../share/cells';
import { providerName } from '../share/provider';
import { Capacity, Health, LastTest } from './cells';
import { wordsIn } from './words';

/** Known is what the fields of a storage config depend on. */
interface Known {
  drivers?: readonly Driver[];
  /** driver is the one that is chosen, whose fields come after those of every config. */
  driver?: Driver | undefined;
  /** stored is the config that a form changes. */
  stored?: Config | undefined;
  /** used is how many bytes a config holds. */
  used?: (id: string) => number;
}

/** storageFields are the fields of a storage config, in the order of its list, then those that its driver describes. */
export function storageFields(t: Translate, language: Language, known: Known = {}): Fields<Config> {
  const { drivers = [], driver, stored, used = () => 0 } = known;
  const check = checks(t);
  // A stored config's storage cannot become one of another kind.
  const choices = stored ? drivers.filter(({ name }) => name === stored.driver) : drivers;
  return {
    name: {
      kind: 'text',
      label: t('admin.storage.name'),
      // A new one is called by its provider until somebody names it.
      initial: driver ? wordsIn(driver.label, language, driver.name) : '',
      input: { validate: [check.required, check.longest(100)] },
      column: {
        title: true,
        sortable: true,
        render: (row) => (
          <RecordLink row={row}>
            {row.is_default ? <Chip tone="ok">{t('admin.storage.isDefault')}</Chip> : null}
          </RecordLink>
        ),
      },
    },
    driver: {
      kind: 'choice',
      label: t('admin.storage.provider'),
      also: 'provider_type',
      initial: driver?.name ?? '',
      said: false,
      input: {
        validate: [check.required],
        choices: choices.map((one) => {
          const label = wordsIn(one.label, language, one.name);
          return {
            value: one.name,
            label: one.available ? label : t('admin.storage.unavailable', { name: label }),
          };
        }),
      },
    },
    provider_type: {
      kind: 'text',
      label: t('admin.storage.provider'),
      write: () => driver?.provider_type,
      said: false,
      column: { sortable: true, render: (row) => providerName(row.provider_type, t) },
    },
    bucket_name: {
      label: t('admin.storage.bucket'),
      column: {
        sortable: true,
        render: (row) => (row.bucket_name ? <code>{row.bucket_name}</code> : ''),
      },
    },
    region: { label: t('admin.storage.region'), column: {} },
    default_folder: {
      kind: 'text',
      label: t('admin.storage.folder'),
      input: { hint: t('admin.storage.folderHint'), optional: true },
      column: { render: (row) => (row.default_folder ? <code>{row.default_folder}</code> : '') },
    },
    path_style: {
      label: t('admin.storage.pathStyle'),
      column: {
        csv: (row) => (row.storage_type === 'S3' ? row.path_style : ''),
        render: (row) =>
          row.storage_type === 'S3' ? t(row.path_style ? 'admin.words.on' : 'admin.words.off') : '',
      },
    },
    is_public: {
      kind: 'switch',
      label: t('admin.storage.public'),
      input: { hint: t('admin.storage.publicHint') },
      column: { sortable: true, render: (row) => t(row.is_public ? 'admin.words.yes' : 'admin.words.no') },
    },
    capacity: {
      kind: 'size',
      of: 'total_storage_bytes',
      label: t('admin.storage.capacity'),
      initial: sizeParts(driver?.total_storage_bytes ?? 0),
      input: {
        unitLabel: t('admin.storage.unit'),
        hint: t('admin.storage.capacityHint'),
        validate: [check.integer, check.notNegative],
      },
      // 0 counts as "keep" to the server, which fills in the provider's own limit for null.
      write: (value) => bytesIn(value) || null,
      said: (value) => formatSize(bytesIn(value), language),
      column: {
        label: t('admin.storage.space'),
        sortable: true,
        render: (row) => <Capacity used={used(row.id)} limit={row.total_storage_bytes} />,
      },
    },
    health: {
      label: t('admin.storage.health'),
      column: { csv: (row) => row.health?.state, render: (row) => <Health row={row} /> },
    },
    tested: {
      label: t('admin.storage.lastTest'),
      column: {
        csv: (row) => row.tested && t(`admin.storage.verdict.${row.tested.verdict}`),
        render: (row) => <LastTest row={row} />,
      },
    },
    custom_host: {
      kind: 'optional',
      label: t('admin.storage.customHost'),
      input: { type: 'url', hint: t('admin.storage.customHostHint'), validate: [check.url] },
    },
    signature_expires_in: {
      kind: 'number',
      label: t('admin.storage.linkTime'),
      initial: 3600,
      input: { validate: [check.integer, check.notNegative] },
      write: (value) => Number(value) || 3600,
    },
    last_used: {
      label: t('admin.storage.used'),
      column: {
        sortable: true,
        render: (row) => (row.last_used ? <Time value={row.last_used} relative /> : t('admin.words.never')),
      },
    },
    created_at: { label: t('admin.share.created'), column: { sortable: true, as: 'time' } },
    ...Object.fromEntries(
      (driver?.fields ?? []).map((field) => [
        nameOf(field),
        { ...driverField(t, language, field, stored), of: field.flat ? field.key : `options.${field.key}` },
      ]),
    ),
  };
}

const bytesIn = (value: unknown) => {
  const { amount, unit } = value as { amount: number | string; unit: string };
  return bytesOf(Number(amount || 0), unit);
};

/** nameOf is the name of a driver's field in the form. */
export const nameOf = (field: DriverField) => `fields.${field.key}`;

/** driverField is a field of a driver, as the driver describes it. */
function driverField(
  t: Translate,
  language: Language,
  field: DriverField,
  stored?: Config,
): FieldDef<Config> {
  const check = checks(t);
  const keeps = field.secret && stored?.has_credentials === 1;
  const tail = field.key === 'access_key_id' && field.type !== 'textarea' ? stored?.key_tail : '';
  const kept = tail ? t('admin.storage.secretTail', { tail }) : t('admin.storage.secretKept');
  const bool = field.type === 'bool';
  const kind = field.secret ? 'secret' : bool ? 'switch' : field.type === 'select' ? 'choice' : 'text';
  return {
    kind: field.type === 'textarea' ? 'area' : kind,
    label: wordsIn(field.label, language, field.key),
    ...(field.secret && { read: () => '', write: secretOf, said: (value) => (value ? '••••' : '') }),
    ...(!field.secret && { initial: stored ? '' : field.default }),
    ...(bool && { initial: !stored && isOn(field.default) }),
    input: {
      hint: keeps ? kept : wordsIn(field.help, language),
      optional: !field.required && !keeps && !bool && field.type !== 'select',
      validate: [
        ...(field.required && !keeps ? [check.required] : []),
        ...(field.type === 'number' ? [check.integer] : []),
        ...(field.type === 'url' ? [check.url] : []),
      ],
      ...(field.type === 'textarea' && { rows: 6, mono: true }),
      ...(field.type === 'select' && {
        choices: field.options.map(({ value, label }) => ({ value, label: wordsIn(label, language, value) })),
      }),
      ...(field.type === 'number' && { inputMode: 'numeric' as const }),
      ...(field.type === 'url' && { type: 'url' }),
    },
  };
}

/** secretOf is a secret as it is sent: one that is left blank stays as it is. */
const secretOf = (value: unknown) => String(value ?? '').trim() || undefined;

/**
 * switched is the form after another driver was chosen, whose fields are `to`: those of a driver that nobody has
 * touched take the new one's suggestions, those that were typed stay where the new one has them too.
 */
export function switched(
  values: DriverValues,
  to: Fields<Config>,
  touched: ReadonlySet<string>,
): DriverValues {
  const { name, fields = {}, capacity } = valuesOf(to) as DriverValues;
  const kept = Object.entries(fields).map(([key, value]) => [
    key,
    touched.has(key) ? (values.fields?.[key] ?? value) : value,
  ]);
  return {
    ...(!touched.has('name') && { name }),
    fields: Object.fromEntries(kept) as Record<string, unknown>,
    capacity,
  };
}

/** What of the form depends on the driver. */
export interface DriverValues {
  name?: unknown;
  fields?: Record<string, unknown>;
  capacity?: unknown;
}
