import { listShared } from '../../api/admin/files';
import { createKey, deleteKey, listKeys, updateKey, type Key, type KeyDraft } from '../../api/admin/keys';
import {
  createMount,
  deleteMount,
  listMounts,
  readMount,
  updateMount,
  type Mount,
} from '../../api/admin/mounts';
import {
  createConfig,
  deleteConfig,
  listConfigs,
  readConfig,
  updateConfig,
  type Config,
} from '../../api/admin/storage';
import { ApiError } from '../../api/client';
import type { FileRow } from '../../api/types';
import type { Source } from './provider';
import { queryOf } from './texts';
import { pageOf } from './whole';

export const files: Source<FileRow> = {
  async list(params, signal) {
    const { files: data, pagination } = await listShared(queryOf(params), signal);
    return { data, total: pagination.total };
  },
};

export const keys: Source<Key> = {
  list: async (params, signal) =>
    pageOf(await listKeys(signal), params, ['name', 'basic_path', 'key_masked']),
  async one(id) {
    // There is no call for a single key.
    const found = (await listKeys()).find((key) => key.id === id);
    if (!found) throw new ApiError('', { status: 404, code: 'not_found' });
    return found;
  },
  create: (data) => createKey(data as unknown as KeyDraft),
  async update(id, data, before) {
    await updateKey(id, data as unknown as KeyDraft);
    return { ...before, ...data };
  },
  remove: (id) => deleteKey(id).then(() => undefined),
};

export const mounts: Source<Mount> = {
  list: async (params, signal) => pageOf(await listMounts(signal), params, ['name', 'mount_path', 'remark']),
  one: readMount,
  create: (data) => createMount(data as Parameters<typeof createMount>[0]),
  async update(id, data, before) {
    await updateMount(id, data as Parameters<typeof updateMount>[1]);
    return { ...before, ...data };
  },
  remove: (id) => deleteMount(id).then(() => undefined),
};

export const configs: Source<Config> = {
  list: async (params, signal) =>
    pageOf(await listConfigs(signal), params, ['name', 'provider_type', 'bucket_name', 'endpoint_url']),
  one: readConfig,
  create: (data) => createConfig(data),
  async update(id, data, before) {
    await updateConfig(id, data);
    return { ...before, ...data };
  },
  remove: (id) => deleteConfig(id).then(() => undefined),
};
