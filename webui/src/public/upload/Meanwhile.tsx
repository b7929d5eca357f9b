import { useT, type Translate } from '../../i18n';
import { Button } from '../../shared/ui';
import { isCancelled } from '../../shared/uploader/errors';
import { percentOf, type UploadTotals } from '../../shared/uploader/queue';
import { uploadErrorText } from '../../shared/uploader/uploadErrorText';
import { useRemote, type RemoteJob } from './remoteJob';
import styles from './upload.module.css';
import type { Source } from './useSource';

interface MeanwhileProps {
  /** source is the tab that can be seen. */
  source: Source;
  totals: UploadTotals;
  onShow: (source: Source) => void;
}

/** Meanwhile says what goes on behind the tab that can be seen, and what has failed there. */
export function Meanwhile({ source, totals, onShow }: MeanwhileProps) {
  const t = useT();
  const { job } = useRemote();
  const text = source === 'url' ? ofFiles(totals, t) : ofAddress(job, t);
  if (!text) return null;
  return (
    <div className={styles.meanwhile}>
      <p>{text}</p>
      <Button variant="quiet" onClick={() => onShow(source === 'url' ? 'files' : 'url')}>
        {t('file.meanwhile.show')}
      </Button>
    </div>
  );
}

function ofFiles({ active, files, done, failed, sent, bytes }: UploadTotals, t: Translate): string {
  if (!active) return '';
  return t('file.meanwhile.files', {
    smart_count: files - done - failed,
    percent: percentOf(sent, bytes),
  });
}

function ofAddress(job: RemoteJob | undefined, t: Translate): string {
  if (!job) return '';
  const name = job.name.trim() || job.info.filename;
  if (job.step) return t('file.meanwhile.url', { name, percent: job.step.percent });
  return isCancelled(job.error)
    ? ''
    : t('file.meanwhile.failed', { name, reason: uploadErrorText(job.error, t) });
}
