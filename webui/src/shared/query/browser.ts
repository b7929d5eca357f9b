import { queryOptions } from '@tanstack/react-query';
import { canPush, pushAddress } from '../notify/browser';

/** browserQuery is whether this browser can be told by Web Push, and where it is reached if it is. */
export const browserQuery = queryOptions({
  queryKey: ['notifications', 'browser'],
  queryFn: async () => {
    const able = canPush() && (await navigator.serviceWorker.getRegistration()) !== undefined;
    return { able, address: able ? ((await pushAddress()) ?? '') : '' };
  },
});
