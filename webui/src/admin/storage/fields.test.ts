import { expect, test } from 'vitest';
import type { Driver, DriverField } from '../../api/admin/storage';
import { t } from '../../i18n';
import { sourceOf } from '../form/fields';
import { storageFields } from './fields';

const field = (key: string): DriverField => ({
  key,
  label: {},
  help: {},
  type: 'text',
  required: false,
  secret: false,
  flat: false,
  options: [],
  default: '',
});
const driver = { name: 'x', label: {}, fields: [field('host_key'), field('endpoint_url')] } as Driver;

test.each([
  ['host_key', 'fields.host_key'],
  ['options.host_key', 'fields.host_key'],
  ['endpoint_url', 'fields.endpoint_url'],
  ['name', 'name'],
  ['provider_type', 'driver'],
  ['is_default', undefined],
  ['', undefined],
])('a refusal of %j marks %j', (told, source) => {
  expect(sourceOf(storageFields(t, 'en-US', { driver }), told)).toBe(source);
});
