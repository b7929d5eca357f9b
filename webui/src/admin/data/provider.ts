import type {
  CreateParams,
  DataProvider,
  DeleteManyParams,
  GetListParams,
  GetOneParams,
  RaRecord,
  UpdateParams,
} from 'react-admin';
import {
  audit,
  channels,
  configs,
  files,
  keys,
  mounts,
  requests,
  shares,
  tasks,
  texts,
  visits,
} from './rest';
import { eachOf, type Meta, type Source } from './source';

/** sources are the resources of the panel, by the names of their pages. */
export const sources: Record<string, Source> = {
  'text-management': texts,
  'file-management': files,
  'storage-config': configs,
  'mount-management': mounts,
  'key-management': keys,
  requests,
  notifications: channels,
  shares,
  visits,
  tasks,
  audit,
};

function sourceOf(resource: string): Source {
  const source = sources[resource];
  if (!source) throw new Error(`there is no resource ${resource}`);
  return source;
}

function can<K extends keyof Source>(resource: string, what: K): NonNullable<Source[K]> {
  const found = sourceOf(resource)[what];
  if (!found) throw new Error(`${resource} has no ${what}`);
  return found;
}

/** one reads a record; its `etag` says which version it is, as that of a row of a list does. */
async function one(resource: string, id: unknown): Promise<RaRecord> {
  const { value, tag } = await can(resource, 'read')(String(id));
  return { ...value, ...(tag && { etag: tag }) };
}

/**
 * dataProvider maps what react-admin asks for to the calls of §7. Failures are ApiErrors of the API client. An update
 * is one of the version that its `previousData` names by `etag`: it fails with 412 when there is another one by now.
 * What nothing in the panel asks for (references, changes of many records) is not there.
 */
export const dataProvider = {
  getList: async (resource: string, params: GetListParams) => ({
    ...(await sourceOf(resource).list(params, params.signal)),
    meta: { at: Date.now() },
  }),
  getOne: async (resource: string, { id }: GetOneParams) => ({ data: await one(resource, id) }),
  create: async (resource: string, { data }: CreateParams) => ({
    data: await can(resource, 'create')(data as Partial<RaRecord>),
  }),
  update: async (resource: string, { id, data, previousData }: UpdateParams) => {
    const { etag = '' } = (previousData ?? {}) as { etag?: string };
    await can(resource, 'update')(String(id), data as Partial<RaRecord>, etag);
    // It is saved, also where what it is now cannot be read.
    return { data: await one(resource, id).catch(() => ({ ...previousData, ...data, id })) };
  },
  deleteMany: async (resource: string, { ids, meta }: DeleteManyParams) => {
    const all = ids.map(String);
    const together = sourceOf(resource).removeMany;
    if (together) await together(all, meta as Meta);
    else await eachOf(all, (id) => can(resource, 'remove')(id, meta as Meta));
    return { data: ids };
  },
  supportAbortSignal: true,
} as DataProvider;
