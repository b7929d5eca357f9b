import { scriptSource, type PreviewedFile } from './previewed';
import { loadTags, mayHaveTags, noTags } from './tags';
import { useWork } from './useWork';

/** Told is what a sound says of itself, with the address of its picture; "" without one. */
export interface Told {
  title: string;
  artist: string;
  cover: string;
}

const nothing: Told = { ...noTags, cover: '' };

const revoke = ({ cover }: Told) => URL.revokeObjectURL(cover);

/** useTags reads what a sound says of itself. What cannot be had is left out. */
export function useTags(file: PreviewedFile | undefined): Told {
  const source = file && scriptSource(file);
  const { value } = useWork(
    ['tags', source?.url ?? ''],
    async (signal): Promise<Told> => {
      if (!source) return nothing;
      const tags = await loadTags(source, signal);
      return { ...tags, cover: tags.cover ? URL.createObjectURL(tags.cover) : '' };
    },
    { enabled: file !== undefined && mayHaveTags(file.filename), drop: revoke },
  );
  return value ?? nothing;
}
