import { useEffect, useState } from 'react';
import { isAborted } from '../api/client';

/** useLoaded fetches something when a dialog opens; the fetch ends with the dialog. `key` names what is fetched. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>) {
  const [state, setState] = useState<{ key: string; value?: T; error?: unknown }>({ key });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    load(abort.signal).then(
      (value) => setState({ key, value }),
      (error: unknown) => {
        if (!isAborted(error)) setState({ key, error });
      },
    );
    return () => abort.abort();
    // Only another thing, or another attempt, is fetched anew.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, attempt]);
  return {
    value: state.key === key ? state.value : undefined,
    error: state.key === key ? state.error : undefined,
    retry: () => setAttempt(attempt + 1),
    replace: (value: T) => setState({ key, value }),
  };
}
