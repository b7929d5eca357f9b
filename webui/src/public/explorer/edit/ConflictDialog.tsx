import { useMemo } from 'react';
import { useT } from '../../../i18n';
import { diffLines, type DiffLine } from '../../../shared/editor/diff';
import { merge } from '../../../shared/editor/merge';
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
  const lines = useMemo(() => diffLines(theirs, mine), [theirs, mine]);
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
      <div className={styles.versions}>
        <Version name={t('explorerEdit.conflict.theirs')} lines={lines} side="theirs" />
        <Version name={t('explorerEdit.conflict.mine')} lines={lines} side="mine" />
      </div>
    </Dialog>
  );
}

interface VersionProps {
  name: string;
  lines: readonly DiffLine[];
  side: 'theirs' | 'mine';
}

function Version({ name, lines, side }: VersionProps) {
  const t = useT();
  const own = lines.filter((line) => line.in === 'both' || line.in === side);
  return (
    <div>
      <h3>{name}</h3>
      <pre tabIndex={0} role="region" aria-label={name}>
        {own.map((line, index) =>
          line.in === 'both' ? (
            <span key={index}>{line.text}</span>
          ) : (
            <mark key={index} className={styles.differs}>
              <span className="visually-hidden">{t('explorerEdit.conflict.differs')}</span>
              {line.text || ' '}
            </mark>
          ),
        )}
      </pre>
    </div>
  );
}
