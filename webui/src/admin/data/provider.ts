import type { DataProvider, GetListParams, RaRecord } from 'react-admin';
import { configs, files, keys, mounts } from './rest';
import type { Source } from './source';
import { texts } from './texts';

/** sources are the resources of the panel, by the names of their pages. */
const sources: Record<string, Source> = {
  'text-management': texts,
  'file-management': files,
  'storage-config': configs,
  'mount-management': mounts,
  'key-management': keys,
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

const text = (id: unknown) => String(id);

/** dataProvider maps what react-admin asks for to the calls of §7. Failures are ApiErrors of the API client. */
export const dataProvider = {
  getList: async (resource: string, params: GetListParams) => ({
    ...(await sourceOf(resource).list(params, params.signal)),
    meta: { at: Date.now() },
  }),
  getOne: async (resource: string, { id }: { id: unknown }) => ({
    data: await can(resource, 'one')(text(id)),
  }),
  getMany: async (resource: string, { ids }: { ids: unknown[] }) => ({
    data: await Promise.all(ids.map((id) => can(resource, 'one')(text(id)))),
  }),
  getManyReference: () => Promise.reject(new Error('no resource of the panel refers to another')),
  create: async (resource: string, { data }: { data: Partial<RaRecord> }) => ({
    data: await can(resource, 'create')(data),
  }),
  update: async (
    resource: string,
    { id, data, previousData }: { id: unknown; data: Partial<RaRecord>; previousData: RaRecord },
  ) => ({ data: await can(resource, 'update')(text(id), data, previousData) }),
  updateMany: () => Promise.reject(new Error('many records are changed one by one')),
  delete: async (resource: string, { id, previousData }: { id: unknown; previousData?: RaRecord }) => {
    await can(resource, 'remove')(text(id));
    return { data: previousData ?? { id: text(id) } };
  },
  deleteMany: async (resource: string, { ids }: { ids: unknown[] }) => {
    const remove = can(resource, 'remove');
    await Promise.all(ids.map((id) => remove(text(id))));
    return { data: ids };
  },
  supportAbortSignal: true,
} as DataProvider;
