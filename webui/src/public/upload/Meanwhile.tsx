import { useT } from '../../i18n';
import { Button } from '../../shared/ui';
import type { UploadTotals } from '../../shared/uploader';
import { useRemote } from './remoteJob';
import styles from './upload.module.css';
import type { Source } from './useSource';

interface MeanwhileProps {
  /** source is the tab that can be seen. */
  source: Source;
  totals: UploadTotals;
  onShow: (source: Source) => void;
}

/** Meanwhile says what goes on behind the tab that can be seen. */
export function Meanwhile({ source, totals, onShow }: MeanwhileProps) {
  const t = useT();
  const { job } = useRemote();
  const files = source === 'url' && totals.active;
  if (!files && !(source === 'files' && job?.step)) return null;
  const percent = files
    ? Math.floor((totals.sent / Math.max(totals.bytes, 1)) * 100)
    : (job?.step?.percent ?? 0);
  const text = files
    ? t('file.meanwhile.files', { smart_count: totals.files - totals.done - totals.failed, percent })
    : t('file.meanwhile.url', { name: job?.name ?? '', percent });
  return (
    <div className={styles.meanwhile}>
      <p>{text}</p>
      <Button variant="quiet" onClick={() => onShow(files ? 'files' : 'url')}>
        {t('file.meanwhile.show')}
      </Button>
    </div>
  );
}
