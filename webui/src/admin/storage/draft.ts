import type { Config, ConfigDraft, Driver, DriverField } from '../../api/admin/storage';
import { bytesOf, sizeParts } from '../form/size';

/** What the form of a storage config holds; the driver's fields stand under `fields`. */
export type StorageValues = {
  name: string;
  driver: string;
  fields: Record<string, string | boolean>;
  capacity: { amount: number | string; unit: string };
  default_folder: string;
  custom_host: string;
  signature_expires_in: number | string;
  is_public: boolean;
};

const isOn = (value: unknown) => value === true || value === 1 || value === '1' || value === 'true';

/** valueOf reads a field of a driver from a stored config; secrets are never answered. */
function valueOf(field: DriverField, config: Config): string | boolean {
  if (field.secret) return '';
  const flat: Record<string, unknown> = { ...config };
  const raw = (field.flat ? flat : config.options)[field.key];
  if (field.type === 'bool') return isOn(raw);
  return raw === null || raw === undefined ? '' : String(raw);
}

/** presetOf is what a driver suggests for a new config. */
export const presetOf = (field: DriverField): string | boolean =>
  field.type === 'bool' ? isOn(field.default) : field.default;

/** valuesOf fills the form from a stored config, or with what the driver suggests. */
export function valuesOf(driver: Driver | undefined, config?: Config): StorageValues {
  const fields = Object.fromEntries(
    (driver?.fields ?? []).map((field) => [field.key, config ? valueOf(field, config) : presetOf(field)]),
  );
  return {
    name: config?.name ?? '',
    driver: driver?.name ?? config?.driver ?? '',
    fields,
    capacity: sizeParts(config ? config.total_storage_bytes : (driver?.total_storage_bytes ?? 0)),
    default_folder: config?.default_folder ?? '',
    custom_host: config?.custom_host ?? '',
    signature_expires_in: config?.signature_expires_in ?? 3600,
    is_public: config ? config.is_public === 1 : false,
  };
}

/** draftOf is what is sent: flat fields in the config itself, all others in its options, blank secrets not at all. */
export function draftOf(values: StorageValues, driver: Driver): ConfigDraft {
  const flat: Record<string, unknown> = {};
  const options: Record<string, unknown> = {};
  for (const field of driver.fields) {
    const value = values.fields[field.key] ?? '';
    if (field.secret && value === '') continue;
    (field.flat ? flat : options)[field.key] = typeof value === 'string' ? value.trim() : value;
  }
  const capacity = bytesOf(Number(values.capacity.amount || 0), values.capacity.unit);
  return {
    name: values.name.trim(),
    driver: driver.name,
    provider_type: driver.provider_type,
    ...flat,
    ...(Object.keys(options).length > 0 && { options }),
    // 0 counts as "keep" to the server, which fills in the provider's own limit for null.
    total_storage_bytes: capacity > 0 ? capacity : null,
    default_folder: values.default_folder.trim(),
    custom_host: values.custom_host.trim() || null,
    signature_expires_in: Number(values.signature_expires_in) || 3600,
    is_public: values.is_public,
  };
}

/**
 * switched is the form after another driver was chosen: fields that nobody has touched take the new driver's
 * suggestions, those that were typed stay where the new driver has them too.
 */
export function switched(values: StorageValues, to: Driver, touched: ReadonlySet<string>): StorageValues {
  const preset = valuesOf(to);
  const fields = Object.fromEntries(
    Object.entries(preset.fields).map(([key, value]) => [
      key,
      touched.has(key) ? (values.fields[key] ?? value) : value,
    ]),
  );
  return {
    ...values,
    driver: to.name,
    fields,
    capacity: touched.has('capacity') ? values.capacity : preset.capacity,
  };
}

/** sourceOf names the input of the form that holds a field of the API; undefined where the form has none. */
export function sourceOf(field: string, driver: Driver | undefined): string | undefined {
  const key = field.replace(/^options\./, '');
  if (driver?.fields.some((one) => one.key === key)) return `fields.${key}`;
  if (key === 'provider_type') return 'driver';
  return ['name', 'driver', 'default_folder', 'custom_host'].includes(key) ? key : undefined;
}
