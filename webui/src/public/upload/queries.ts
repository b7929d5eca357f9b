import { queryOptions } from '@tanstack/react-query';
import { readSettings } from '../../api/settings';
import { listStorageConfigs, maxUploadSize } from '../../api/storage';
import type { StorageConfig } from '../../api/types';

/** UploadSettings are what the server allows and suggests. */
export interface UploadSettings {
  configs: StorageConfig[];
  /** Largest file in bytes. */
  limit: number;
  useProxy: boolean;
}

/** uploadSettingsQuery is what the upload form needs to know of the server. */
export const uploadSettingsQuery = queryOptions({
  queryKey: ['uploadSettings'],
  queryFn: async ({ signal }): Promise<UploadSettings> => {
    const [configs, limit, global] = await Promise.all([
      listStorageConfigs(signal),
      maxUploadSize(signal),
      readSettings(1, signal),
    ]);
    return { configs, limit, useProxy: global.get('default_use_proxy') !== 'false' };
  },
});
