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
  | 'differs'
  | 'reload'
  | 'overwrite'
  // Asked for with onCopy only,
  | 'copy'
  // and these with merging only.
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
  /** merging puts both together where that can be done; base is what both began with. */
  merging?: { base: string; onMerge: (text: string) => void };
  onOverwrite: () => void;
  onReload: () => void;
  /** onCopy keeps both: what was written here goes elsewhere. */
  onCopy?: () => void;
  onClose: () => void;
}

/** ConflictDialog shows both versions when something was changed meanwhile, and lets the writer choose. */
export function ConflictDialog(props: ConflictDialogProps) {
  const { say, mine, theirs, merging, onOverwrite, onReload, onCopy, onClose } = props;
  const base = merging?.base;
  const both = useMemo(
    () => (base === undefined ? undefined : merge(base, mine, theirs)),
    [base, mine, theirs],
  );
  return (
    <Dialog
      wide
      title={say('title')}
      onClose={onClose}
      footer={
        <div className={styles.choices}>
          {merging && both !== undefined && (
            <Button
              variant="primary"
              onClick={() => {
                merging.onMerge(both);
                toast.info(say('merged'));
              }}
            >
              {say('merge')}
            </Button>
          )}
          {merging && both === undefined && (
            <Button
              onClick={() => {
                merging.onMerge(
                  mergeByHand(merging.base, mine, theirs, { mine: say('mine'), theirs: say('theirs') }),
                );
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
      {merging && <p className={styles.hint}>{say(both === undefined ? 'noMerge' : 'mergeHint')}</p>}
      <Versions
        mine={mine}
        theirs={theirs}
        names={{ mine: say('mine'), theirs: say('theirs'), differs: say('differs') }}
      />
    </Dialog>
  );
}
