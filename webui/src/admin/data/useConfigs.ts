import { useGetList } from 'react-admin';
import type { Config } from '../../api/admin/storage';

const all = { pagination: { page: 1, perPage: 1000 }, sort: { field: 'name', order: 'ASC' } } as const;

/** useConfigs is all storage configs, for what refers to one of them. */
export const useConfigs = () =>
  useGetList<Config>('storage-config', all, { networkMode: 'always', retry: false });
