import { RequireAccess } from '../../auth/RequireAccess';
import { useT } from '../../i18n';
import { pages } from '../../pages';
import { PageHeading, usePageTitle } from '../../shared/page';
import { Queries } from '../../shared/query/Queries';
import styles from './upload.module.css';
import { UploadFiles } from './UploadFiles';

/** UploadPage turns files into shares. */
export default function UploadPage() {
  const t = useT();
  usePageTitle(t(pages.upload.title));
  return (
    <div className={styles.page}>
      <PageHeading>{t('file.heading')}</PageHeading>
      <RequireAccess page={pages.upload}>
        <Queries>
          <UploadFiles />
        </Queries>
      </RequireAccess>
    </div>
  );
}
