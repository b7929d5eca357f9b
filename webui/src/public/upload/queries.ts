import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../api/errors';
import { listFileParts } from '../../api/fileParts';
import { readSettings } from '../../api/settings';
import { listStorageConfigs, maxUploadSize } from '../../api/storage';
import type { StorageConfig } from '../../api/types';
import { forgetBegun, type Begun } from '../../shared/uploader/begun';

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

/** arrivedQuery is how many bytes of an unfinished upload have arrived; one that the server does not know is forgotten. */
export const arrivedQuery = (begun: Begun) =>
  queryOptions({
    queryKey: ['arrived', begun],
    queryFn: async ({ signal }) => {
      try {
        const { parts } = await listFileParts(begun, signal);
        return parts.reduce((sum, part) => sum + part.size, 0);
      } catch (error) {
        if (error instanceof ApiError && error.code === 'upload_not_found') forgetBegun(begun);
        throw error;
      }
    },
  });
