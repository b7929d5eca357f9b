import type { Draft } from './drafts';
import styles from './home.module.css';
import { RecentDrafts } from './RecentDrafts';
import { RecentShares } from './RecentShares';
import type { MadeShare } from './shares';

interface ListsProps {
  shares: readonly MadeShare[];
  drafts: readonly Draft[];
  onRestore: (draft: Draft) => void;
  onDelete: (draft: Draft) => void;
}

/** Lists is what was shared in this tab and written on this device before. */
export default function Lists({ shares, drafts, onRestore, onDelete }: ListsProps) {
  return (
    <div className={styles.lists}>
      <RecentShares shares={shares} />
      <RecentDrafts drafts={drafts} onRestore={onRestore} onDelete={onDelete} />
    </div>
  );
}
