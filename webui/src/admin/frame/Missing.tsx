import { useSession } from '../../auth/session';
import { useT } from '../../i18n';
import { PageHeading, usePageTitle } from '../../shared/page';
import { buttonClass, EmptyState } from '../../shared/ui';
import { usablePages } from '../pages';
import { Link } from '../router';

/** Missing stands where an address under /admin names no page. */
export function Missing() {
  const t = useT();
  const [first] = usablePages(useSession());
  usePageTitle(t('app.titles.notFound'));
  return (
    <>
      <PageHeading>{t('app.titles.notFound')}</PageHeading>
      <EmptyState
        title={t('admin.notFound')}
        action={
          first && (
            <Link className={buttonClass('primary')} to={`/admin/${first.path}`}>
              {t('admin.toPage', { page: t(first.title) })}
            </Link>
          )
        }
      />
    </>
  );
}
