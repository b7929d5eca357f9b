import { useMemo, useState } from 'react';
import { previewKind } from './kind';
import { Lightbox } from './Lightbox';
import type { Around, PreviewedFile } from './previewed';
import { useWork } from './useWork';

interface FolderLightboxProps {
  file: PreviewedFile;
  /** src is where the picture itself was loaded from. */
  src: string;
  around: Around | undefined;
  onClose: () => void;
}

/** FolderLightbox shows a picture large, and leads on to the others of its folder. */
export default function FolderLightbox({ file, src, around, onClose }: FolderLightboxProps) {
  const names = useMemo(() => {
    const pictures = (around?.names ?? []).filter(
      (filename) => previewKind({ filename, mimetype: '', type: 0 }) === 'image',
    );
    return pictures.includes(file.filename) ? pictures : [file.filename];
  }, [around, file.filename]);
  const [index, setIndex] = useState(() => names.indexOf(file.filename));
  const [known, setKnown] = useState<Readonly<Record<string, string>>>({ [file.filename]: src });
  const name = names[index];
  const wanted = name !== undefined && known[name] === undefined ? name : undefined;

  // One that cannot be had stays on its way; the next one may come.
  const { value: opened } = useWork(
    ['picture', around?.source(wanted ?? '').url ?? ''],
    async (signal) => (wanted === undefined ? undefined : around?.open(wanted, signal)),
    { enabled: wanted !== undefined && around !== undefined },
  );
  if (wanted !== undefined && opened) setKnown((before) => ({ ...before, [wanted]: opened.viewUrl }));

  return (
    <Lightbox
      pictures={names.map((each) => ({ name: each, src: known[each] }))}
      index={index}
      onIndex={setIndex}
      onClose={onClose}
    />
  );
}
