import { useEffect, useEffectEvent } from 'react';
import { ApiError } from '../../api/errors';

/** useRetryOnline tries again what could not be read without a network, when the network is back. */
export function useRetryOnline(error: unknown, retry: () => unknown): void {
  const offline = error instanceof ApiError && error.failure === 'network';
  const again = useEffectEvent(() => void retry());
  useEffect(() => {
    if (!offline) return;
    const back = () => again();
    addEventListener('online', back);
    return () => removeEventListener('online', back);
  }, [offline]);
}
