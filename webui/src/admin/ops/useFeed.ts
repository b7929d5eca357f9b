import { useEffect, useState } from 'react';
import { isAborted, type Query } from '../../api/client';

type Cursor = number | string | null;

export interface Page<R> {
  rows: R[];
  next: Cursor;
}

/** useFeed loads a list whose pages go on behind a cursor; another query begins it anew. */
export function useFeed<R>(load: (query: Query, signal?: AbortSignal) => Promise<Page<R>>, query: Query) {
  const key = JSON.stringify(query);
  const [state, setState] = useState<{ key: string; rows?: R[]; next: Cursor; error?: unknown }>({
    key,
    next: null,
  });
  const [busy, setBusy] = useState(false);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    load(query, abort.signal).then(
      (page) => setState({ key, rows: page.rows, next: page.next }),
      (error: unknown) => {
        if (!isAborted(error)) setState({ key, next: null, error });
      },
    );
    return () => abort.abort();
    // The key stands for the query; what loads does not change.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, attempt]);

  async function more() {
    if (busy || state.next === null) return;
    setBusy(true);
    try {
      const page = await load({ ...query, before: state.next });
      setState((now) =>
        now.key === key ? { ...now, rows: [...(now.rows ?? []), ...page.rows], next: page.next } : now,
      );
    } catch (error) {
      setState((now) => ({ ...now, error }));
    } finally {
      setBusy(false);
    }
  }

  return {
    rows: state.key === key ? state.rows : undefined,
    error: state.key === key ? state.error : undefined,
    hasMore: state.next !== null,
    busy,
    more,
    refresh: () => setAttempt((n) => n + 1),
  };
}
