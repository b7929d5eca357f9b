import { HardDrive } from 'lucide-react';
import { Link } from 'wouter';
import { useSession } from '../../auth/session';
import { useT } from '../../i18n';
import { buttonClass, EmptyState } from '../../shared/ui';

/** NoStorage stands in for the form when there is nowhere to upload to. */
export function NoStorage() {
  const t = useT();
  const admin = useSession().kind === 'admin';
  return (
    <EmptyState
      whole
      icon={<HardDrive size={28} />}
      title={t('file.form.noStorage')}
      body={t(admin ? 'file.form.noStorageAdmin' : 'file.form.noStorageKey')}
      action={
        admin && (
          <Link href="/admin/storage-config/create" className={buttonClass('primary')}>
            {t('file.form.addStorage')}
          </Link>
        )
      }
    />
  );
}
