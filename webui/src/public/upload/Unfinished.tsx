import { useT } from '../../i18n';
import { UnfinishedRow } from '../../shared/uploader/UnfinishedRow';
import { useUnfinished } from '../../shared/uploader/useUnfinished';
import styles from './upload.module.css';

/** Unfinished offers the uploads that a reload or a lost line has interrupted: shares, and files on their way into mounts. */
export function Unfinished() {
  const t = useT();
  const left = useUnfinished();
  if (left.length === 0) return null;
  return (
    <section className={styles.results} aria-labelledby="pp-unfinished">
      <h2 id="pp-unfinished">{t('file.unfinished.title')}</h2>
      <p className={styles.hint}>{t('file.unfinished.body')}</p>
      <ul>
        {left.map((begun) => (
          <UnfinishedRow key={begun.id} begun={begun} />
        ))}
      </ul>
    </section>
  );
}
