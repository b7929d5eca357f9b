import { listShared } from '../../api/admin/files';
import {
  createKey,
  deleteKey,
  pageKeys,
  readKey,
  updateKey,
  type Key,
  type KeyDraft,
} from '../../api/admin/keys';
import {
  createMount,
  deleteMount,
  pageMounts,
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
import type { FileRow } from '../../api/types';
import type { Source } from './source';
import { queryOf } from './texts';
import { pageOf } from './whole';

export const files: Source<FileRow> = {
  async list(params, signal) {
    const { files: data, pagination } = await listShared(queryOf(params), signal);
    return { data, total: pagination.total };
  },
};

export const keys: Source<Key, KeyDraft> = {
  async list(params, signal) {
    const { data, pagination } = await pageKeys(queryOf(params), signal);
    return { data, total: pagination.total };
  },
  one: async (id) => (await readKey(id)).value,
  create: (data) => createKey(data),
  async update(id, data) {
    await updateKey(id, data);
    return (await readKey(id)).value;
  },
  remove: (id) => deleteKey(id).then(() => undefined),
};

export const mounts: Source<Mount> = {
  async list(params, signal) {
    const { data, pagination } = await pageMounts(queryOf(params), signal);
    return { data, total: pagination.total };
  },
  one: async (id) => (await readMount(id)).value,
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
  one: async (id) => (await readConfig(id)).value,
  create: (data) => createConfig(data),
  async update(id, data, before) {
    await updateConfig(id, data);
    return { ...before, ...data };
  },
  remove: (id) => deleteConfig(id).then(() => undefined),
};
