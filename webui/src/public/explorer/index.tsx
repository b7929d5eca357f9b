import { RequireAccess } from '../../auth/RequireAccess';
import { useT } from '../../i18n';
import { pages } from '../../pages';
import { PageHeading, usePageTitle } from '../../shared/page';
import { Queries } from '../../shared/query/Queries';
import { Explorer } from './Explorer';
import styles from './explorer.module.css';
import { nameOf, usePlace } from './place';

/** ExplorerPage shows what lies in the mounts. */
export default function ExplorerPage() {
  const t = useT();
  const { path, preview } = usePlace();
  usePageTitle(preview || nameOf(path) || t(pages.explorer.title));
  return (
    <div className={styles.page}>
      <PageHeading className={preview ? 'visually-hidden' : styles.heading}>
        {t('explorer.title')}
      </PageHeading>
      <RequireAccess page={pages.explorer}>
        <Queries>
          <Explorer />
        </Queries>
      </RequireAccess>
    </div>
  );
}
