import { Link } from 'wouter';
import { useT } from '../../i18n';
import styles from './paste.module.css';

export function Crumbs() {
  const t = useT();
  return (
    <nav aria-label={t('pasteView.crumbs')} className={styles.crumbs}>
      <Link href="/">{t('pasteView.home')}</Link>
      <span aria-hidden="true">/</span>
      <span>{t('pasteView.place')}</span>
    </nav>
  );
}
