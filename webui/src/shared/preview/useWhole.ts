import { useEffect, useEffectEvent, useState } from 'react';
import { loadText } from './loadText';
import { scriptSource, type PreviewedFile } from './previewed';

/** useWhole fetches a file of at most `most` bytes and makes something of it. Another file ends the earlier work. */
export function useWhole<T>(
  file: PreviewedFile,
  most: number,
  make: (bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal) => Promise<T>,
) {
  const [tries, setTries] = useState(0);
  const [done, setDone] = useState<{ key: string; value?: T }>();
  const source = scriptSource(file);
  const key = `${tries} ${source.url}`;
  const work = useEffectEvent(async (signal: AbortSignal) =>
    make(await loadText(source, most, signal), signal),
  );
  useEffect(() => {
    const leave = new AbortController();
    work(leave.signal).then(
      (value) => {
        if (!leave.signal.aborted) setDone({ key, value });
      },
      (error: unknown) => {
        if (leave.signal.aborted) return;
        console.warn(error);
        setDone({ key });
      },
    );
    return () => leave.abort();
  }, [key]);
  const current = done?.key === key ? done : undefined;
  return {
    value: current?.value,
    failed: current !== undefined && current.value === undefined,
    retry: () => setTries(tries + 1),
  };
}
