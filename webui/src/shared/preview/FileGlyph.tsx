import { extensionOf, type KindOf } from './kind';
import { KindIcon, signOf } from './KindIcon';
import styles from './preview.module.css';

/** FileGlyph is the sign of a file's kind, with its extension, so that colour is not the only sign. */
export function FileGlyph({ file }: { file: KindOf }) {
  return (
    <span className={styles.glyph} data-kind={signOf(file)} aria-hidden="true">
      <KindIcon file={file} size={24} />
      <span>{extensionOf(file.filename).slice(0, 5) || '·'}</span>
    </span>
  );
}
