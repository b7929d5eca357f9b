import type { GetListParams } from 'react-admin';
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
  type MountDraft,
} from '../../api/admin/mounts';
import {
  createConfig,
  deleteConfig,
  listConfigs,
  readConfig,
  updateConfig,
  type Config,
} from '../../api/admin/storage';
import { deleteText, listTexts, type ListQuery } from '../../api/admin/texts';
import { serverWords } from '../../api/errorText';
import { ApiError } from '../../api/errors';
import { deleteFiles, getFile } from '../../api/files';
import { getPaste, updatePaste } from '../../api/pastes';
import type { FileRow, PasteDetail, PasteRow, PasteUpdate } from '../../api/types';
import { t } from '../../i18n';
import { NotAll, type Source } from './source';
import { pageOf } from './whole';

/** queryOf turns react-admin's paging, sorting and filters into the parameters of the server's lists. */
export function queryOf({ pagination, sort, filter }: GetListParams): ListQuery {
  const { page = 1, perPage = 20 } = pagination ?? {};
  const { q, ...rest } = (filter ?? {}) as Record<string, unknown>;
  const words = Object.fromEntries(
    Object.entries(rest).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    ),
  );
  const search = typeof q === 'string' ? q.trim() : '';
  return {
    ...words,
    limit: perPage,
    offset: (page - 1) * perPage,
    search: search || undefined,
    sort: sort?.field,
    order: sort?.order === 'ASC' ? 'asc' : 'desc',
  };
}

/** paged is the list of a resource that the server pages. */
const paged =
  <R>(
    load: (query: ListQuery, signal?: AbortSignal) => Promise<{ data: R[]; pagination: { total: number } }>,
  ) =>
  async (params: GetListParams, signal?: AbortSignal) => {
    const { data, pagination } = await load(queryOf(params), signal);
    return { data, total: pagination.total };
  };

export const texts: Source<PasteRow | PasteDetail, PasteUpdate> = {
  list: paged(listTexts),
  async read(id) {
    const { paste, etag } = await getPaste(id);
    return { value: paste, tag: etag };
  },
  update: updatePaste,
  async remove(id) {
    if (!(await deleteText(id))) throw new ApiError(t('admin.texts.gone'), { status: 404 });
  },
};

export const files: Source<FileRow> = {
  list: paged(async (query, signal) => {
    const { files: data, pagination } = await listShared(query, signal);
    return { data, pagination };
  }),
  // The tag of a file is that of its object, and no version of the share.
  read: async (id) => ({ value: await getFile(id), tag: '' }),
  async removeMany(ids, meta) {
    const { success, failed } = await deleteFiles(
      [...ids],
      meta?.mode === 'record_only' ? 'record_only' : 'both',
    );
    if (failed.length === 0) return;
    const reasons = failed.map(({ id, error }) => ({
      id,
      error: new ApiError(serverWords(error), { status: 409 }),
    }));
    throw new NotAll(success, 0, reasons);
  },
};

export const keys: Source<Key, KeyDraft> = {
  list: paged(pageKeys),
  read: readKey,
  create: createKey,
  update: updateKey,
  remove: (id, meta) => deleteKey(id, meta?.revoke === true),
};

export const mounts: Source<Mount, MountDraft> = {
  list: paged(pageMounts),
  read: readMount,
  create: createMount,
  update: updateMount,
  remove: deleteMount,
};

export const configs: Source<Config> = {
  list: async (params, signal) =>
    pageOf(await listConfigs(signal), params, ['name', 'provider_type', 'bucket_name', 'endpoint_url']),
  read: readConfig,
  create: createConfig,
  update: updateConfig,
  remove: deleteConfig,
};
