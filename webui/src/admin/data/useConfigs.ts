import { useGetList } from 'react-admin';
import type { Config } from '../../api/admin/storage';

const all = { pagination: { page: 1, perPage: 1000 }, sort: { field: 'name', order: 'ASC' } } as const;
const options = { networkMode: 'always', retry: false } as const;

/** useConfigs is all storage configs, for what refers to one of them. */
export function useConfigs() {
  const { data, error, isFetching, refetch } = useGetList<Config>('storage-config', all, options);
  return { data, error, isFetching, retry: () => void refetch() };
}
