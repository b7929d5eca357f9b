import { Share2 } from 'lucide-react';
import { useT } from '../../i18n';
import { Button, Dialog } from '../../shared/ui';
import { LinkList } from './LinkList';
import { ShareCard } from './ShareCard';
import styles from './share.module.css';
import type { Sharable } from './ShareDialog';
import type { Marked } from './useMarks';

interface SharesDialogProps {
  entry: Sharable;
  marks: Marked;
  /** onAnother asks for one more share. */
  onAnother: () => void;
  /** onChanged is called when a share has other terms, or is no more. */
  onChanged: () => void;
  onClose: () => void;
}

/** SharesDialog shows all links that lead to an entry. */
export default function SharesDialog({ entry, marks, onAnother, onChanged, onClose }: SharesDialogProps) {
  const t = useT();
  return (
    <Dialog
      wide="medium"
      title={t('explorer.share.of', { name: entry.name })}
      onClose={onClose}
      footer={
        <>
          <Button icon={<Share2 size={18} />} onClick={onAnother}>
            {t('explorer.share.another')}
          </Button>
          <Button onClick={onClose}>{t('common.close')}</Button>
        </>
      }
    >
      <div className={styles.cards}>
        {marks.own.map((mark) => (
          <ShareCard key={mark.id} mark={mark} onChanged={onChanged} />
        ))}
        <LinkList
          heading={t(entry.isDirectory ? 'explorer.share.folderLinks' : 'explorer.share.links')}
          links={marks.links}
          onEnded={onChanged}
        />
        {marks.own.length + marks.links.length === 0 && <p>{t('explorer.share.none')}</p>}
      </div>
    </Dialog>
  );
}
