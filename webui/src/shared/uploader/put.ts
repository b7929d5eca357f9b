import { traceHeaders } from '../../api/trace';
import { refusalOf, UploadError } from './errors';

/** Time limit of one part, in milliseconds (§7). */
export const partTimeout = 5 * 60_000;

/** PutRequest is one PUT to an address that needs no credential of ours. */
export interface PutRequest {
  /** Absolute, or relative to this page. */
  url: string;
  body: Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** Whole time allowed, in milliseconds. Absent: no limit as long as bytes move. */
  timeout?: number;
  /** Called with the bytes sent so far. */
  onProgress?: (sent: number) => void;
}

export interface PutResult {
  /** As the storage sent it, with its quotes; null when its CORS rule hides it. */
  etag: string | null;
}

/**
 * putBytes sends a body by XMLHttpRequest, because fetch reports no progress
 * of what it sends. Rejects with UploadError.
 */
export function putBytes(request: PutRequest): Promise<PutResult> {
  const { body, signal, onProgress } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new UploadError('aborted'));
      return;
    }
    const xhr = new XMLHttpRequest();
    const abort = () => xhr.abort();
    let stalled = false;
    let watch: ReturnType<typeof setTimeout> | undefined;
    const alive = () => {
      clearTimeout(watch);
      if (request.timeout !== undefined) return;
      watch = setTimeout(() => {
        stalled = true;
        xhr.abort();
      }, partTimeout);
    };
    const fail = (error: UploadError) => {
      release();
      reject(error);
    };
    const release = () => {
      clearTimeout(watch);
      signal?.removeEventListener('abort', abort);
    };

    const url = new URL(request.url, window.location.href);
    xhr.open('PUT', url.href);
    // A storage elsewhere lets no header in that its rules do not name.
    const traced = url.origin === window.location.origin ? traceHeaders(signal) : {};
    for (const [name, value] of Object.entries({ ...traced, ...request.headers }))
      xhr.setRequestHeader(name, value);
    if (request.timeout !== undefined) xhr.timeout = request.timeout;
    xhr.upload.onprogress = (event) => {
      alive();
      onProgress?.(Math.min(event.loaded, body.size));
    };
    xhr.onload = () => {
      if (xhr.status < 200 || xhr.status >= 300) {
        const said = refusalOf(xhr.status, xhr.responseText, xhr.getResponseHeader('X-Decision-Id'));
        fail(new UploadError('http', xhr.status, undefined, said));
        return;
      }
      release();
      onProgress?.(body.size);
      resolve({ etag: xhr.getResponseHeader('ETag') });
    };
    xhr.onerror = () => fail(new UploadError('network'));
    xhr.ontimeout = () => fail(new UploadError('timeout'));
    xhr.onabort = () => fail(new UploadError(stalled ? 'timeout' : 'aborted'));
    signal?.addEventListener('abort', abort);
    alive();
    xhr.send(body);
  });
}
