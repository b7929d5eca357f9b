import { useMemo } from 'react';
import { Button, Dialog, toast } from '../ui';
import styles from './conflictDialog.module.css';
import { merge, mergeByHand } from './merge';
import { Versions } from './Versions';

type Word =
  | 'title'
  | 'body'
  | 'mine'
  | 'theirs'
  | 'added'
  | 'removed'
  | 'reload'
  | 'overwrite'
  // Asked for with onCopy only,
  | 'copy'
  // and these with onMerge only.
  | 'merge'
  | 'mergeByHand'
  | 'mergeHint'
  | 'noMerge'
  | 'merged'
  | 'marked';

interface ConflictDialogProps {
  /** say gives the texts of this dialog, which tell what was changed. */
  say: (word: Word) => string;
  mine: string;
  theirs: string;
  /** base is what both began with. */
  base: string;
  /** onMerge takes both put together, where that can be done. */
  onMerge?: (text: string) => void;
  onOverwrite: () => void;
  onReload: () => void;
  /** onCopy keeps both: what was written here goes elsewhere. */
  onCopy?: () => void;
  onClose: () => void;
}

/** ConflictDialog shows what both have changed when something was changed meanwhile, and lets the writer choose. */
export function ConflictDialog(props: ConflictDialogProps) {
  const { say, mine, theirs, base, onMerge, onOverwrite, onReload, onCopy, onClose } = props;
  const both = useMemo(() => merge(base, mine, theirs), [base, mine, theirs]);
  return (
    <Dialog
      wide
      title={say('title')}
      onClose={onClose}
      footer={
        <div className={styles.choices}>
          {onMerge && both !== undefined && (
            <Button
              variant="primary"
              onClick={() => {
                onMerge(both);
                toast.info(say('merged'));
              }}
            >
              {say('merge')}
            </Button>
          )}
          {onMerge && both === undefined && (
            <Button
              onClick={() => {
                onMerge(mergeByHand(base, mine, theirs, { mine: say('mine'), theirs: say('theirs') }));
                toast.info(say('marked'));
              }}
            >
              {say('mergeByHand')}
            </Button>
          )}
          {onCopy && (
            <Button data-autofocus="" onClick={onCopy}>
              {say('copy')}
            </Button>
          )}
          <Button onClick={onReload}>{say('reload')}</Button>
          <Button variant="danger" onClick={onOverwrite}>
            {say('overwrite')}
          </Button>
        </div>
      }
    >
      <p>{say('body')}</p>
      {onMerge && <p className={styles.hint}>{say(both === undefined ? 'noMerge' : 'mergeHint')}</p>}
      <Versions
        base={base}
        mine={mine}
        theirs={theirs}
        names={{
          mine: say('mine'),
          theirs: say('theirs'),
          added: say('added'),
          removed: say('removed'),
        }}
      />
    </Dialog>
  );
}
