import { ApiError } from '../../api/errors';
import { useListener } from '../../hooks/useListener';

/** useRetryOnline tries again what could not be read without a network, when the network is back. */
export function useRetryOnline(error: unknown, retry: () => unknown): void {
  const offline = error instanceof ApiError && error.failure === 'network';
  useListener('online', () => void retry(), offline);
}
