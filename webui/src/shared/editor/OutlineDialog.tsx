import { useT } from '../../i18n';
import { Dialog } from '../ui';
import styles from './dialogs.module.css';
import { sourceHeadings } from './sourceHeadings';

interface OutlineDialogProps {
  text: string;
  /** onChoose is given the position of a heading in the text. */
  onChoose: (position: number) => void;
  onClose: () => void;
}

/** OutlineDialog lists the headings of what is being written; choosing one leads there. */
export default function OutlineDialog({ text, onChoose, onClose }: OutlineDialogProps) {
  const t = useT();
  const headings = sourceHeadings(text);
  return (
    <Dialog title={t('editor.outline')} onClose={onClose}>
      {headings.length === 0 ? (
        <p>{t('editor.outlineEmpty')}</p>
      ) : (
        <ul className={styles.outline}>
          {headings.map((heading) => (
            <li key={heading.position} data-depth={heading.depth}>
              <button type="button" onClick={() => onChoose(heading.position)}>
                {heading.text || t('editor.outlineUnnamed')}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
