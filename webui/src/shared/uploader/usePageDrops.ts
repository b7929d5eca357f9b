import { useEffect, useEffectEvent, useState } from 'react';
import { fromDrop, fromPaste, isTyping, type Chosen } from './sources';

/** usePageDrops takes drops and pastes on the whole page while it is on, and says whether files hover over it. */
export function usePageDrops(onFiles: (files: Chosen[]) => void, on = true): boolean {
  const [over, setOver] = useState(false);
  const take = useEffectEvent(onFiles);

  useEffect(() => {
    if (!on) return;
    const leave = new AbortController();
    const { signal } = leave;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    // Moving between elements leaves one and enters the next; only the sum says where the pointer is.
    let depth = 0;
    addEventListener(
      'dragenter',
      (event) => {
        if (!hasFiles(event)) return;
        depth++;
        setOver(true);
      },
      { signal },
    );
    addEventListener(
      'dragleave',
      (event) => {
        if (!hasFiles(event)) return;
        depth = Math.max(0, depth - 1);
        if (depth === 0) setOver(false);
      },
      { signal },
    );
    addEventListener('dragover', (event) => hasFiles(event) && event.preventDefault(), { signal });
    addEventListener(
      'drop',
      (event) => {
        if (!event.dataTransfer || !hasFiles(event)) return;
        event.preventDefault();
        depth = 0;
        setOver(false);
        void fromDrop(event.dataTransfer).then(take);
      },
      { signal },
    );
    addEventListener(
      'paste',
      (event) => {
        const data = event.clipboardData;
        if (!data || data.files.length === 0 || isTyping(event.target, data)) return;
        event.preventDefault();
        take(fromPaste(data, new Date()));
      },
      { signal },
    );
    return () => leave.abort();
  }, [on]);

  return over;
}
