import { beforeEach, describe, expect, it } from 'vitest';
import type { Key } from '../../api/admin/keys';
import type { Mount } from '../../api/admin/mounts';
import type { Config } from '../../api/admin/storage';
import { t } from '../../i18n';
import { keyFields } from '../keys/fields';
import { mountFields } from '../mounts/fields';
import { changesOf } from './changes';
import { columnsOf, draftOf, linesOf, valuesOf } from './fields';

const configs = [
  { id: 'c1', name: 'Disk', storage_type: 'LOCAL', is_default: 0 },
  { id: 'c2', name: 'Bucket', storage_type: 'S3', is_default: 1 },
] as Config[];
const mount = {
  id: 'm1',
  name: 'Team',
  storage_type: 'LOCAL',
  storage_config_id: 'c1',
  mount_path: '/team',
  remark: null,
  is_active: 1,
  sort_order: 0,
  cache_ttl: 300,
  created_by: 'system',
  web_proxy: 0,
  enable_sign: 0,
  sign_expires: null,
  webdav_policy: 'native_proxy',
} as Mount;

describe('the fields of a mount', () => {
  let fields: ReturnType<typeof mountFields>;
  beforeEach(() => {
    fields = mountFields(t, configs);
  });

  it('begin with the default storage, and are sent as the server takes them', () => {
    const values = { ...valuesOf(fields), name: ' New ', mount_path: '/new', cache_ttl: '60' };
    expect(draftOf(fields, values)).toEqual({
      name: 'New',
      mount_path: '/new',
      storage_type: 'S3',
      storage_config_id: 'c2',
      remark: null,
      sort_order: 0,
      cache_ttl: 60,
      is_active: true,
      web_proxy: false,
      enable_sign: false,
      sign_expires: null,
      webdav_policy: '302_redirect',
    });
  });

  it('send of a stored mount what was changed alone', () => {
    const began = valuesOf(fields, mount);
    const changed = { ...began, remark: 'x', sign_expires: '900', is_active: false };
    expect(changesOf(draftOf(fields, began), draftOf(fields, changed))).toEqual({
      remark: 'x',
      sign_expires: 900,
      is_active: false,
    });
  });

  it('are said by the names that people know', () => {
    const lines = Object.fromEntries(linesOf(fields, valuesOf(fields, mount)));
    expect(lines).toMatchObject({
      [t('admin.mounts.name')]: 'Team',
      [t('admin.mounts.config')]: 'Disk',
      [t('admin.mounts.active')]: true,
      [t('admin.mounts.policy')]: t('admin.mounts.policies.native_proxy'),
    });
  });

  it('are listed in their order; what says nothing else is exported as it is', () => {
    const columns = columnsOf(fields);
    expect(columns.map(({ source }) => source)).toEqual([
      'name',
      'mount_path',
      'storage_config_id',
      'remark',
      'delivery',
      'sort_order',
      'cache_ttl',
      'created_at',
      'created_by',
    ]);
    const csv = columns.map((column) => (column.csv ? column.csv(mount) : undefined));
    expect(csv.slice(0, 6)).toEqual(['Team', '/team', 'Disk', null, undefined, 0]);
  });
});

describe('the fields of a key', () => {
  const stored = {
    id: 'k1',
    name: 'ci',
    permissions: 257,
    role: 'GENERAL',
    basic_path: '/team',
    is_guest: 0,
    is_active: 1,
    expires_at: '9999-12-31T23:59:59.000Z',
  } as Key;

  it('send a value of its own for a new key alone, and only when one is wanted', () => {
    const fields = keyFields(t, 'en-US');
    const values = { ...valuesOf(fields), name: 'new', expiry: 'never', custom_key: ' mine ' };
    const draft = {
      name: 'new',
      permissions: 0,
      role: 'GENERAL',
      basic_path: '/',
      is_guest: false,
      expires_at: null,
    };
    expect(draftOf(fields, values)).toEqual(draft);
    expect(draftOf(fields, { ...values, custom: true })).toEqual({ ...draft, custom_key: 'mine' });
  });

  it('keep the end of a stored key unless another one is chosen', () => {
    const fields = keyFields(t, 'en-US', stored);
    const began = valuesOf(fields, stored);
    const changes = (change: object) =>
      changesOf(draftOf(fields, began), draftOf(fields, { ...began, ...change }));
    expect(changes({})).toEqual({});
    expect(changes({ is_active: false })).toEqual({ is_active: false });
    expect(changes({ expiry: 'never' })).toEqual({ expires_at: null });
    const said = Object.fromEntries(linesOf(fields, began, stored));
    expect(said[t('admin.keys.expiry')]).toBe(t('admin.share.neverEnds'));
    expect(said[t('admin.keys.permissions')]).toBe(
      `${t('admin.keys.bits.TEXT')}, ${t('admin.keys.bits.MOUNT_VIEW')}`,
    );
    expect(said).not.toHaveProperty(t('admin.keys.expiryDays'));
  });
});
