import { queryOptions } from '@tanstack/react-query';
import { readQuotas } from '../../api/usage';

/** quotasQuery is what the API key in use has used of what it may. */
export const quotasQuery = queryOptions({
  queryKey: ['quotas'],
  queryFn: ({ signal }) => readQuotas(signal),
});
