import type { ReactNode } from 'react';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { Skeleton } from '../../shared/ui';

interface LoadedProps<T> {
  of: { data: T | undefined; error: Error | null; retry: () => void };
  /** lines is how much room is kept while it is on its way. */
  lines: number;
  children: (data: T) => ReactNode;
}

/** Loaded shows what was read, that it is on its way, or why it is not there. */
export function Loaded<T>({ of: { data, error, retry }, lines, children }: LoadedProps<T>) {
  return (
    <>
      {error && <ErrorPanel error={error} onRetry={retry} />}
      {data === undefined ? !error && <Skeleton lines={lines} /> : children(data)}
    </>
  );
}
