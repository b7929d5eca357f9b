import type { Uploaded } from '../../api/usage';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import formStyles from '../form/form.module.css';
import { Facts } from './Facts';

/** Uploads shows what a key, or the whole site, has uploaded today and what its file shares hold. */
export function Uploads({ of }: { of: Uploaded }) {
  const t = useT();
  const language = useLanguage();
  return (
    <>
      <Facts
        of={[
          [
            t('admin.uploads.today'),
            `${formatSize(of.bytes_today, language)} · ${t('admin.uploads.files', of.files_today)}`,
          ],
          [t('admin.uploads.stored'), formatSize(of.bytes_stored, language)],
        ]}
      />
      <p className={formStyles.hint}>{t('admin.uploads.note')}</p>
    </>
  );
}
