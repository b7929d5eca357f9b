import { useT } from '../../i18n';
import { confirm } from '../../shared/ui';
import { questionOf } from '../useAct';
import { useLeaveGuard as useGuard } from '../../shared/useLeaveGuard';

/** useLeaveGuard asks before a page of the panel with unsaved changes is left. */
export function useLeaveGuard(dirty: boolean): void {
  const t = useT();
  useGuard(dirty, () =>
    confirm({ ...questionOf(t, 'admin.form.leave', { danger: true }), cancelLabel: t('admin.form.stay') }),
  );
}
