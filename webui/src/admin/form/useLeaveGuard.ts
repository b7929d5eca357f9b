import { useT } from '../../i18n';
import { confirm } from '../../shared/ui';
import { useLeaveGuard as useGuard } from '../../shared/useLeaveGuard';

/** useLeaveGuard asks before a page of the panel with unsaved changes is left. */
export function useLeaveGuard(dirty: boolean): void {
  const t = useT();
  useGuard(dirty, () =>
    confirm({
      title: t('admin.form.leaveTitle'),
      body: t('admin.form.leaveBody'),
      confirmLabel: t('admin.form.leave'),
      cancelLabel: t('admin.form.stay'),
      danger: true,
    }),
  );
}
