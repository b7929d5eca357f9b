import { useMemo } from 'react';
import { useT } from '../../../i18n';
import { merge } from '../../../shared/editor/merge';
import { Versions } from '../../../shared/editor/Versions';
import { Button, Dialog } from '../../../shared/ui';
import styles from './edit.module.css';

interface ConflictDialogProps {
  /** base is what both began with. */
  base: string;
  mine: string;
  theirs: string;
  onMerge: (text: string) => void;
  onOverwrite: () => void;
  onReload: () => void;
  onSaveCopy: () => void;
  onClose: () => void;
}

/** ConflictDialog shows both texts when a file was changed meanwhile, and lets the writer choose. */
export function ConflictDialog(props: ConflictDialogProps) {
  const { base, mine, theirs, onMerge, onOverwrite, onReload, onSaveCopy, onClose } = props;
  const t = useT();
  const both = useMemo(() => merge(base, mine, theirs), [base, mine, theirs]);
  return (
    <Dialog
      wide
      title={t('explorerEdit.conflict.title')}
      onClose={onClose}
      footer={
        <div className={styles.choices}>
          {both !== undefined && (
            <Button variant="primary" onClick={() => onMerge(both)}>
              {t('explorerEdit.conflict.merge')}
            </Button>
          )}
          <Button data-autofocus="" onClick={onSaveCopy}>
            {t('explorerEdit.conflict.copy')}
          </Button>
          <Button onClick={onReload}>{t('explorerEdit.conflict.reload')}</Button>
          <Button variant="danger" onClick={onOverwrite}>
            {t('explorerEdit.conflict.overwrite')}
          </Button>
        </div>
      }
    >
      <p>{t('explorerEdit.conflict.body')}</p>
      <p className={styles.hint}>
        {t(both === undefined ? 'explorerEdit.conflict.noMerge' : 'explorerEdit.conflict.mergeHint')}
      </p>
      <Versions
        mine={mine}
        theirs={theirs}
        names={{
          mine: t('explorerEdit.conflict.mine'),
          theirs: t('explorerEdit.conflict.theirs'),
          differs: t('explorerEdit.conflict.differs'),
        }}
      />
    </Dialog>
  );
}
