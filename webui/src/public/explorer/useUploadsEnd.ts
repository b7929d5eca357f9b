import { useEnd } from '../../hooks/useEnd';
import { useLanguage, useT } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { toast } from '../../shared/ui';
import { notices } from '../../shared/offline/notices';
import { useStore } from '../../store';
import { uploads } from '../../shared/uploader/uploads';

/** useUploadsEnd says how the uploads went when the last of them ends; no toast while their list is on the screen. */
export function useUploadsEnd(watched: boolean): void {
  const t = useT();
  const language = useLanguage();
  const { totals } = useStore(uploads);
  const { active, done, failed, files } = totals;
  useEnd(active, () => {
    if (files === 0 || done + failed < files) return;
    const text =
      failed === 0
        ? t('explorer.upload.arrived', done)
        : t('explorer.upload.arrivedInPart', { smart_count: failed, done: formatNumber(done, language) });
    void notices.tell(text);
    if (watched) return;
    if (failed === 0) toast.success(text);
    else toast.warning(text);
  });
}
