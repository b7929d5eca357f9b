import { useMemo } from 'react';
import { useT } from '../../../i18n';
import { Button, Dialog } from '../../../shared/ui';
import styles from './edit.module.css';
import { merge } from '../../../shared/editor/merge';
import { Versions } from '../../../shared/editor/Versions';

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
      <Versions
        mine={mine}
        theirs={theirs}
        names={{
          mine: t('shareEdit.paste.conflict.mine'),
          theirs: t('shareEdit.paste.conflict.theirs'),
          differs: t('shareEdit.paste.conflict.differs'),
        }}
      />
    </Dialog>
  );
}
