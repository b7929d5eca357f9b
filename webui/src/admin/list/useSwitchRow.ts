import { useDataProvider, useNotify, useRefresh, useResourceContext, useUpdate } from 'react-admin';
import { tellError } from '../../shared/offline/tellError';
import { useT } from '../../i18n';
import { switchRow, type Switchable } from './switchRow';

/** useSwitchRow turns rows of a list on and off, and says where somebody has changed one meanwhile. */
export function useSwitchRow() {
  const t = useT();
  const resource = useResourceContext() ?? '';
  const dataProvider = useDataProvider();
  const refresh = useRefresh();
  const notify = useNotify();
  const [update] = useUpdate<Switchable>(resource);
  return async (row: Switchable & { name: string }) => {
    try {
      const turned = await switchRow(row, {
        update: (id, data, etag) =>
          update(
            resource,
            { id, data: data as object, previousData: { ...row, etag } },
            { returnPromise: true },
          ),
        read: async (id) => (await dataProvider.getOne<Switchable>(resource, { id })).data,
      });
      if (!turned) notify(t('admin.list.changedMeanwhile', { name: row.name }), { type: 'warning' });
      refresh();
    } catch (error) {
      tellError(error, t);
    }
  };
}
