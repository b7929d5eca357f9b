import { useEffect, useState } from 'react';
import { scriptSource, type PreviewedFile } from './previewed';
import { loadTags, mayHaveTags, noTags } from './tags';

/** Told is what a sound says of itself, with the address of its picture; "" without one. */
export interface Told {
  title: string;
  artist: string;
  cover: string;
}

const nothing: Told = { ...noTags, cover: '' };

/** useTags reads what a sound says of itself. What cannot be had is left out. */
export function useTags(file: PreviewedFile | undefined): Told {
  const [found, setFound] = useState<Told & { of: PreviewedFile | undefined }>({ ...nothing, of: undefined });
  useEffect(() => {
    if (!file || !mayHaveTags(file.filename)) return;
    const leave = new AbortController();
    let cover = '';
    loadTags(scriptSource(file), leave.signal).then(
      (tags) => {
        if (leave.signal.aborted) return;
        cover = tags.cover ? URL.createObjectURL(tags.cover) : '';
        setFound({ ...tags, cover, of: file });
      },
      () => undefined,
    );
    return () => {
      leave.abort();
      URL.revokeObjectURL(cover);
    };
  }, [file]);
  return found.of === file ? found : nothing;
}
