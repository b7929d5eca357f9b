import { useEnd } from '../../hooks/useEnd';
import { useLanguage, useT } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { useAnnounced } from '../../shared/page';
import { notices } from '../../shared/offline/notices';
import { toast } from '../../shared/ui';
import type { UploadTotals } from '../../shared/uploader/queue';

/**
 * useUploadNotes says how a run goes: every quarter to screen readers, and
 * once to everybody when it has ended.
 */
export function useUploadNotes(totals: UploadTotals) {
  const t = useT();
  const language = useLanguage();
  const { active, done, failed, files } = totals;
  const quarter = totals.bytes > 0 ? Math.floor((totals.sent / totals.bytes) * 4) : 0;

  useAnnounced(active && quarter > 0 ? t('file.progress.announce', { percent: quarter * 25 }) : '');

  useEnd(active, () => {
    if (files === 0) return;
    const text =
      failed > 0
        ? t('file.progress.mixed', {
            done: formatNumber(done, language),
            failed: formatNumber(failed, language),
          })
        : t('file.progress.finished', done);
    if (failed > 0) toast.warning(text);
    else if (done > 0) toast.success(text);
    if (failed + done > 0) void notices.tell(text, 'uploads');
  });
}
