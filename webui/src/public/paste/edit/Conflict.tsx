import { useMemo } from 'react';
import { useT } from '../../../i18n';
import { Button, Dialog } from '../../../shared/ui';
import styles from './edit.module.css';
import { merge } from '../../../shared/editor/merge';

interface ConflictProps {
  /** base is what both began with. */
  base: string;
  mine: string;
  theirs: string;
  onMerge: (text: string) => void;
  onOverwrite: () => void;
  onReload: () => void;
  onFork: () => void;
  onClose: () => void;
}

/** Conflict shows both texts when a paste was changed meanwhile, and lets the writer choose. */
export function Conflict({
  base,
  mine,
  theirs,
  onMerge,
  onOverwrite,
  onReload,
  onFork,
  onClose,
}: ConflictProps) {
  const t = useT();
  const both = useMemo(() => merge(base, mine, theirs), [base, mine, theirs]);
  return (
    <Dialog
      wide
      title={t('shareEdit.paste.conflict.title')}
      onClose={onClose}
      footer={
        <div className={styles.choices}>
          {both !== undefined && (
            <Button variant="primary" onClick={() => onMerge(both)}>
              {t('shareEdit.paste.conflict.merge')}
            </Button>
          )}
          <Button onClick={onFork}>{t('shareEdit.paste.conflict.fork')}</Button>
          <Button onClick={onReload}>{t('shareEdit.paste.conflict.reload')}</Button>
          <Button variant="danger" onClick={onOverwrite}>
            {t('shareEdit.paste.conflict.overwrite')}
          </Button>
        </div>
      }
    >
      <p>{t('shareEdit.paste.conflict.body')}</p>
      <p className={styles.hint}>
        {t(both === undefined ? 'shareEdit.paste.conflict.noMerge' : 'shareEdit.paste.conflict.mergeHint')}
      </p>
      <div className={styles.versions}>
        <Version name={t('shareEdit.paste.conflict.mine')} text={mine} />
        <Version name={t('shareEdit.paste.conflict.theirs')} text={theirs} />
      </div>
    </Dialog>
  );
}

/** Longest part of a version that is shown, in UTF-16 units. */
const shownOf = 200_000;

function Version({ name, text }: { name: string; text: string }) {
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      <pre tabIndex={0} role="region" aria-label={name}>
        {text.slice(0, shownOf)}
      </pre>
    </section>
  );
}
