import { ApiError } from '../../api/client';
import { errorText } from '../../api/errorText';
import { hasMessage, type Translate } from '../../i18n';
import { UploadError } from './errors';
import type { Destination } from './queue';

/** uploadErrorText says why a file was not uploaded; who sends to a request reads its own words. */
export function uploadErrorText(error: unknown, t: Translate, to?: Destination): string {
  if (error instanceof UploadError) {
    if (error.said?.message) return uploadErrorText(error.said, t, to);
    if (error.failure === 'aborted') return t('file.errors.cancelled');
    if (error.failure === 'http') return t('file.errors.http', { status: error.status });
    return t(`file.errors.${error.failure}`);
  }
  if (error instanceof ApiError) {
    const own = `request.code.${error.code}`;
    if (to === 'request' && hasMessage(own)) return t(own);
    const full = storageFull(error.message);
    if (full) return t('file.errors.storageFull', { ...full });
    if (error.code === 'storage_forbidden') return t('file.errors.storageForbidden');
    if (!error.failure && error.status >= 500 && !error.message) return t('file.errors.presign');
  }
  return errorText(error, t);
}

/** storageFull takes the three sizes out of the server's message; undefined for other messages. */
export function storageFull(message: string): { file: string; left: string; capacity: string } | undefined {
  const size = '([\\d.]+ ?[KMGT]?B)';
  const file = new RegExp(`(?:文件大小|file size)\\(${size}\\)`).exec(message)?.[1];
  const left = new RegExp(`(?:剩余空间|remaining space)\\(${size}\\)`).exec(message)?.[1];
  const capacity = new RegExp(`(?:总容量限制为|capacity limit is )${size}`).exec(message)?.[1];
  return file && left && capacity ? { file, left, capacity } : undefined;
}
