import { useRef, useState } from 'react';
import { useListener } from '../../hooks/useListener';
import { useLatest } from '../../hooks/useLatest';
import { fromDrop, fromPaste, isTyping, type Chosen } from './sources';

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

/** usePageDrops takes drops and pastes on the whole page while it is on, and says whether files hover over it. */
export function usePageDrops(onFiles: (files: Chosen[]) => void, on = true): boolean {
  const [over, setOver] = useState(false);
  // Moving between elements leaves one and enters the next; only the sum says where the pointer is.
  const depth = useRef(0);
  const take = useLatest(onFiles);

  function enter(to: number) {
    depth.current = Math.max(0, to);
    setOver(depth.current > 0);
  }
  useListener('dragenter', (event) => hasFiles(event) && enter(depth.current + 1), on);
  useListener('dragleave', (event) => hasFiles(event) && enter(depth.current - 1), on);
  useListener('dragover', (event) => hasFiles(event) && event.preventDefault(), on);
  useListener(
    'drop',
    (event) => {
      if (!event.dataTransfer || !hasFiles(event)) return;
      event.preventDefault();
      enter(0);
      void fromDrop(event.dataTransfer).then((files) => take.current(files));
    },
    on,
  );
  useListener(
    'paste',
    (event) => {
      const data = event.clipboardData;
      if (!data || data.files.length === 0 || isTyping(event.target, data)) return;
      event.preventDefault();
      onFiles(fromPaste(data, new Date()));
    },
    on,
  );
  return over;
}
