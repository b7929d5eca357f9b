import type { GetListParams } from 'react-admin';
import { listShared } from '../../api/admin/files';
import * as keysApi from '../../api/admin/keys';
import type { Key, KeyDraft } from '../../api/admin/keys';
import * as mountsApi from '../../api/admin/mounts';
import type { Mount, MountDraft } from '../../api/admin/mounts';
import * as storageApi from '../../api/admin/storage';
import type { Config } from '../../api/admin/storage';
import {
  auditEntries,
  revokeShares,
  sharedItems,
  type AuditEntry,
  type SharedItem,
} from '../../api/admin/operations';
import { deleteText, listTexts, type ListQuery } from '../../api/admin/texts';
import { serverWords } from '../../api/errorText';
import { ApiError } from '../../api/errors';
import { deleteFiles, getFile } from '../../api/files';
import { forgetTask, pageTasks, type Task } from '../../api/fs';
import * as requestsApi from '../../api/requests';
import type { FileRequest, RequestDraft } from '../../api/requests';
import * as channelsApi from '../../api/admin/channels';
import type { Channel, ChannelDraft } from '../../api/admin/channels';
import { getPaste, updatePaste } from '../../api/pastes';
import { allVisits, type Visit } from '../../api/visits';
import type { FileRow, PasteDetail, PasteRow, PasteUpdate } from '../../api/types';
import { t } from '../../i18n';
import { NotAll, type Source } from './source';
import { clientPage } from './clientPage';

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

/** paged is the list of a resource that the server pages; `rows` takes them out of an answer. */
const paged =
  <R, A extends { total: number } | { pagination: { total: number } }>(
    load: (query: ListQuery, signal?: AbortSignal) => Promise<A>,
    rows: (answer: A) => R[],
  ) =>
  async (params: GetListParams, signal?: AbortSignal) => {
    const answer = await load(queryOf(params), signal);
    return { data: rows(answer), total: 'total' in answer ? answer.total : answer.pagination.total };
  };

export const texts: Source<PasteRow | PasteDetail, PasteUpdate> = {
  list: paged(listTexts, ({ data }) => data),
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
  list: paged(listShared, (found) => found.files),
  // The tag of a file is that of its object, and no version of the share.
  read: async (id) => ({ value: await getFile(id), tag: '' }),
  async removeMany(ids, meta) {
    const { success, failed } = await deleteFiles(
      [...ids],
      meta?.mode === 'record_only' ? 'record_only' : 'both',
    );
    stayed(success, failed);
  },
};

/** stayed throws a NotAll when the server could not delete everything. */
function stayed(success: number, failed: readonly { id: string; error: string }[]): void {
  if (failed.length === 0) return;
  const reasons = failed.map(({ id, error }) => ({
    id,
    error: new ApiError(serverWords(error), { status: 409 }),
  }));
  throw new NotAll(success, 0, reasons);
}

export const keys: Source<Key, KeyDraft> = {
  list: paged(keysApi.pageKeys, ({ data }) => data),
  read: keysApi.readKey,
  create: keysApi.createKey,
  update: keysApi.updateKey,
  remove: (id, meta) => keysApi.deleteKey(id, meta?.revoke === true),
};

/** named gives a request the name that forms and dialogs call it by. */
const named = (request: FileRequest) => ({ ...request, name: request.title });

export const requests: Source<FileRequest & { name: string }, RequestDraft> = {
  list: paged(requestsApi.listRequests, (found) => found.requests.map(named)),
  async read(id) {
    const request = await requestsApi.getRequest(id);
    return { value: named(request), tag: request.etag };
  },
  create: async (draft) => named(await requestsApi.createRequest(draft)),
  update: requestsApi.updateRequest,
  remove: requestsApi.deleteRequest,
};

export const channels: Source<Channel, ChannelDraft> = {
  list: paged(channelsApi.listChannels, (found) => found.channels),
  async read(id) {
    const channel = await channelsApi.getChannel(id);
    return { value: channel, tag: channel.etag };
  },
  create: channelsApi.createChannel,
  update: channelsApi.updateChannel,
  remove: channelsApi.deleteChannel,
};

export const mounts: Source<Mount, MountDraft> = {
  list: paged(mountsApi.pageMounts, ({ data }) => data),
  read: mountsApi.readMount,
  create: mountsApi.createMount,
  update: mountsApi.updateMount,
  remove: mountsApi.deleteMount,
};

export const configs: Source<Config> = {
  list: async (params, signal) =>
    clientPage(await storageApi.listConfigs(signal), params, [
      'name',
      'provider_type',
      'bucket_name',
      'endpoint_url',
    ]),
  read: storageApi.readConfig,
  create: storageApi.createConfig,
  update: storageApi.updateConfig,
  remove: storageApi.deleteConfig,
};

/** A Share in the list of all shares; texts and files have ids of their own, so the kind belongs to its name. */
export type Share = SharedItem;

const shareId = ({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`;
/** shareRef is the kind and the id of a share by the id of its row. */
export const shareRef = (id: string) => {
  const [kind = '', rest = ''] = id.split(' ');
  return { kind, id: rest };
};

export const shares: Source<Share> = {
  // Where shares come from is one filter, "storage ID" for instance; `only` names a switch of the server's list, with its value where that is not 1.
  list: paged(
    ({ from = '', only = '', ...rest }, signal) => {
      const [name = '', ...of] = String(from).split(' ');
      const [flag = '', value = 1] = String(only).split(' ');
      const filter = { ...(name && { [name]: of.join(' ') }), ...(flag && { [flag]: value }) };
      return sharedItems({ ...rest, ...filter }, signal);
    },
    (found) => found.shares.map((row) => ({ ...row, id: shareId(row) })),
  ),
  async removeMany(ids) {
    const { success, failed } = await revokeShares(ids.map(shareRef));
    stayed(
      success,
      failed.map(({ id, error }) => ({ id: ids.find((one) => shareRef(one).id === id) ?? id, error })),
    );
  },
};

export const tasks: Source<Task> = {
  list: paged(pageTasks, (found) => found.tasks),
  remove: forgetTask,
};

/** An Entry of the audit log in its list. */
export type Entry = AuditEntry & { id: number };

/** A VisitRow in the list of who opened shares. */
export type VisitRow = Visit & { id: number };

export const visits: Source<VisitRow> = {
  list: paged(allVisits, ({ visits: found }) => found.map((visit) => ({ ...visit, id: visit.n }))),
};

export const audit: Source<Entry> = {
  list: paged(auditEntries, ({ entries }) => entries.map((entry) => ({ ...entry, id: entry.n }))),
};
