import { listStorageConfigs } from '../../api/storage';
import type { PresignRequest, StorageConfig } from '../../api/types';
import { readStored } from '../../config';
import type { Transfer } from './queue';
import { shareFile } from './share';
import { shareInParts } from './shareParts';
import { goesInParts, type Arrived } from './uploads';

/** usualStorage is the storage that was used last, else the default; undefined when there is none. */
export async function usualStorage(): Promise<StorageConfig | undefined> {
  const configs = await listStorageConfigs();
  const last = readStored('pp.uploadStorage');
  return (
    configs.find(({ id }) => id === last) ?? configs.find(({ is_default }) => is_default === 1) ?? configs[0]
  );
}

/** shareUnder shares files under these terms. A custom link becomes a prefix when there are several. */
export function shareUnder({
  slug,
  ...terms
}: Omit<PresignRequest, 'filename' | 'size' | 'mimetype'>): Transfer<Arrived> {
  return ({ file, name }, { index, count }, hooks) => {
    const request: PresignRequest = {
      ...terms,
      filename: name,
      size: file.size,
      mimetype: file.type || 'application/octet-stream',
      ...(slug && { slug: count > 1 ? `${slug}-${index + 1}` : slug }),
    };
    return goesInParts(file) ? shareInParts(file, request, hooks) : shareFile(file, request, hooks);
  };
}
