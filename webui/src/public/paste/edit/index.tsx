import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getPaste } from '../../../api/pastes';
import type { Paste, PasteDetail } from '../../../api/types';
import { loadAreas } from '../../../i18n';
import { ErrorPanel } from '../../../shared/problem/ErrorPanel';
import { queryClient } from '../../../shared/query/client';
import { Skeleton } from '../../../shared/ui';
import { EditForm, prepareEditor } from './EditForm';

interface EditProps {
  slug: string;
  /** onSaved is told what has changed, and the new password where one was set or removed. */
  onSaved: (change: Partial<Paste>, password: string | undefined) => void;
  onClose: () => void;
}

/** Edit changes a paste in place. The owner's call that fetches the text takes no view. */
export default function Edit({ slug, onSaved, onClose }: EditProps) {
  const [begun, begin] = useState<{ paste: PasteDetail; etag: string }>();
  const { data, isFetching, error, refetch } = useQuery(
    {
      queryKey: ['edited paste', slug],
      queryFn: async ({ signal }) => {
        const [found] = await Promise.all([
          getPaste(slug, signal),
          loadAreas('shareEdit', 'share', 'home'),
          prepareEditor(),
        ]);
        return found;
      },
      enabled: !begun,
      gcTime: 0,
    },
    queryClient,
  );
  // What is written stays, whoever signs in or out meanwhile.
  if (data && !isFetching && !begun) begin(data);

  if (begun) return <EditForm {...begun} load={() => getPaste(slug)} onSaved={onSaved} onClose={onClose} />;
  if (isFetching) return <Skeleton lines={8} />;
  return <ErrorPanel error={error} onRetry={() => void refetch()} onBack={onClose} />;
}
