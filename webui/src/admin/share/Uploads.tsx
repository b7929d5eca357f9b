import type { Uploaded } from '../../api/usage';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import formStyles from '../form/form.module.css';
import styles from './share.module.css';

/** Uploads shows what a key, or the whole site, has uploaded today and what its file shares hold. */
export function Uploads({ of }: { of: Uploaded }) {
  const t = useT();
  const language = useLanguage();
  return (
    <>
      <dl className={styles.facts}>
        <div>
          <dt>{t('admin.uploads.today')}</dt>
          <dd>
            {formatSize(of.bytes_today, language)} · {t('admin.uploads.files', of.files_today)}
          </dd>
        </div>
        <div>
          <dt>{t('admin.uploads.stored')}</dt>
          <dd>{formatSize(of.bytes_stored, language)}</dd>
        </div>
      </dl>
      <p className={formStyles.hint}>{t('admin.uploads.note')}</p>
    </>
  );
}
