import { permissions } from '../../auth/permissions';
import { RequireAccess } from '../../auth/RequireAccess';
import { useT } from '../../i18n';
import { PageHeading, usePageTitle } from '../../shared/page';
import { Queries } from '../../shared/query/Queries';
import styles from './upload.module.css';
import { UploadFiles } from './UploadFiles';

/** UploadPage turns files into shares. */
export default function UploadPage() {
  const t = useT();
  usePageTitle(t('app.titles.upload'));
  return (
    <div className={styles.page}>
      <PageHeading>{t('file.heading')}</PageHeading>
      <RequireAccess need="upload" bits={permissions.FILE_SHARE}>
        <Queries>
          <UploadFiles />
        </Queries>
      </RequireAccess>
    </div>
  );
}
