import { ExternalLink, Info, Link2, Share2 } from 'lucide-react';
import type { Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Button } from '../../shared/ui';
import type { Asked } from './asked';
import { EntryFacts } from './EntryFacts';
import styles from './explorer.module.css';
import { Thumb } from './Thumb';
import type { Marks } from './useMarks';
import { useRights } from './useRights';

interface DetailsPaneProps {
  /** entries are those that are selected. */
  entries: readonly Entry[];
  marks: Marks;
  onOpen: (entry: Entry) => void;
  onAsk: (asked: Asked) => void;
}

/** DetailsPane shows beside a listing what is selected in it: a picture, all facts, links. */
export default function DetailsPane({ entries, marks, onOpen, onAsk }: DetailsPaneProps) {
  const t = useT();
  const language = useLanguage();
  const [entry] = entries;
  return (
    <aside className={styles.detailsPane} aria-label={t('explorer.panes.details')}>
      {!entry && (
        <p className={styles.hint}>
          <Info size={18} /> {t('explorer.panes.none')}
        </p>
      )}
      {entry && entries.length === 1 && (
        <One key={entry.path} entry={entry} marks={marks} onOpen={onOpen} onAsk={onAsk} />
      )}
      {entries.length > 1 && (
        <>
          <h2>{t('explorer.select.count', entries.length)}</h2>
          <p className={styles.hint}>
            {formatSize(
              entries.reduce((sum, { size }) => sum + (size ?? 0), 0),
              language,
            )}
          </p>
        </>
      )}
    </aside>
  );
}

function One({ entry, marks, onOpen, onAsk }: Omit<DetailsPaneProps, 'entries'> & { entry: Entry }) {
  const t = useT();
  const rights = useRights();
  return (
    <>
      <Thumb entry={entry} />
      <h2 dir="auto">{entry.name}</h2>
      <div className={styles.detailsTools}>
        <Button icon={<ExternalLink size={18} />} onClick={() => onOpen(entry)}>
          {t('explorer.menu.open')}
        </Button>
        {!entry.isDirectory && (
          <Button icon={<Link2 size={18} />} onClick={() => onAsk({ kind: 'link', entry })}>
            {t('explorer.menu.link')}
          </Button>
        )}
        {(!entry.isDirectory || !entry.isVirtual) && rights.share && (
          <Button icon={<Share2 size={18} />} onClick={() => onAsk({ kind: 'share', entry })}>
            {t('explorer.menu.share')}
          </Button>
        )}
      </div>
      <EntryFacts entry={entry} marks={marks} />
    </>
  );
}
