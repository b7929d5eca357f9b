import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { getPaste } from '../../../api/pastes';
import { isAborted } from '../../../api/client';
import type { Paste, PasteDetail } from '../../../api/types';
import { loadAreas } from '../../../i18n';
import { ErrorPanel } from '../../../shared/problem/ErrorPanel';
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
  const [round, setRound] = useState(0);
  const [loaded, setLoaded] = useState<{ paste: PasteDetail; etag: string }>();
  const [error, setError] = useState<unknown>();
  const load = useCallback((signal?: AbortSignal) => getPaste(slug, signal), [slug]);
  const arrive = useEffectEvent((signal: AbortSignal) =>
    Promise.all([load(signal), loadAreas('shareEdit', 'share', 'home'), prepareEditor()]).then(
      ([found]) => setLoaded(found),
      (problem: unknown) => {
        if (!isAborted(problem)) setError(problem);
      },
    ),
  );

  useEffect(() => {
    const leave = new AbortController();
    void arrive(leave.signal);
    return () => leave.abort();
  }, [round]);

  if (error !== undefined) {
    const retry = () => {
      setError(undefined);
      setRound(round + 1);
    };
    return <ErrorPanel error={error} onRetry={retry} onBack={onClose} />;
  }
  if (!loaded) return <Skeleton lines={8} />;
  return <EditForm paste={loaded.paste} etag={loaded.etag} load={load} onSaved={onSaved} onClose={onClose} />;
}
