import { Trash2 } from 'lucide-react';
import { useT } from '../../i18n';
import { Button, IconButton, Time } from '../../shared/ui';
import { firstLine, type Draft } from './drafts';
import styles from './home.module.css';

interface RecentDraftsProps {
  drafts: readonly Draft[];
  onRestore: (draft: Draft) => void;
  onDelete: (draft: Draft) => void;
}

/** RecentDrafts lists texts written on this device before. */
export function RecentDrafts({ drafts, onRestore, onDelete }: RecentDraftsProps) {
  const t = useT();
  if (drafts.length === 0) return null;
  return (
    <details className={styles.recent}>
      <summary>{t('homeMore.draft.recent')}</summary>
      <ul>
        {drafts.map((draft) => (
          <li key={draft.id}>
            <span className={styles.recentText}>
              <span dir="auto">{firstLine(draft.text) || t('homeMore.draft.empty')}</span>
              <Time value={new Date(draft.savedAt).toISOString()} />
            </span>
            <Button variant="quiet" onClick={() => onRestore(draft)}>
              {t('homeMore.draft.restore')}
            </Button>
            <IconButton label={t('common.delete')} onClick={() => onDelete(draft)}>
              <Trash2 size={18} />
            </IconButton>
          </li>
        ))}
      </ul>
    </details>
  );
}
