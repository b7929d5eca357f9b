import { QueryClient } from '@tanstack/react-query';
import { onOtherAccount } from '../../auth/otherAccount';

/**
 * queryClient keeps what the public pages have read from the server. The calls of src/api stand below it: they answer
 * from this device where there is no network, so it asks without one too, and repeats no call by itself. What no part
 * of a page shows any more is forgotten after a second, unless a query says otherwise.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      retry: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      gcTime: 1000,
    },
    mutations: { networkMode: 'always', gcTime: 1000 },
  },
});

/** forgetAll drops all that was read; what is still on the screen afterwards is read anew. */
function forgetAll(): void {
  queryClient.removeQueries({ type: 'inactive' });
  const shown = new Set(queryClient.getQueryCache().getAll());
  for (const query of shown) query.reset();
  // Signing out takes most pages off the screen, which then ask for nothing.
  setTimeout(() => {
    void queryClient.refetchQueries({ type: 'active', predicate: (query) => shown.has(query) });
  });
}

onOtherAccount(forgetAll);
