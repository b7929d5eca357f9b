import { toldText } from '../../api/errorText';
import { useLanguage, useT } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { toast } from '../../shared/ui';
import { notices } from '../../shared/offline/notices';
import { follow } from './work';

type Deed = 'copy' | 'move' | 'rename' | 'remove';

/** useFollow waits for a task's end and says how it went. */
export function useFollow(): (id: string, deed: Deed) => Promise<void> {
  const t = useT();
  const language = useLanguage();
  return async (id, deed) => {
    const task = await follow(id);
    if (!task) return;
    const { completed, skipped, failed } = task.items;
    const word = t(`explorer.tasks.states.${task.status}`);
    void notices.tell(`${task.title}: ${word}`, `task-${id}`);
    const [done, left, lost] = [completed, skipped, failed].map((count) => formatNumber(count, language));
    const counted = { done, skipped: left, failed: lost };
    if (task.status === 'completed' && skipped > 0) toast.info(t('explorer.work.skipped', counted));
    else if (task.status === 'completed') toast.success(t(`explorer.work.done.${deed}`));
    else if (task.status === 'partial') toast.warning(t('explorer.work.partial', counted));
    else if (task.status === 'cancelled') toast.info(t('explorer.work.cancelled'));
    else toast.error((task.error && toldText(task.error, t)) || t('explorer.work.failed'));
  };
}
