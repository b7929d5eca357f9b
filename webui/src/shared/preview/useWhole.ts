import { loadText } from './loadText';
import { scriptSource, type PreviewedFile } from './previewed';
import { useWork } from './useWork';

/** useWhole fetches a file of at most `most` bytes and makes something of it; `as` names what. */
export function useWhole<T>(
  as: string,
  file: PreviewedFile,
  most: number,
  make: (bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal) => Promise<T>,
  drop?: (value: T) => void,
) {
  const source = scriptSource(file);
  return useWork(
    [as, source.url],
    async (signal) => make(await loadText(source, most, signal), signal),
    drop && { drop },
  );
}
