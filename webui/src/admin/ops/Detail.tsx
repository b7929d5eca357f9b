import { useT } from '../../i18n';
import styles from './ops.module.css';

/** Detail is what a program said, folded: for whoever looks into it. */
export function Detail({ text }: { text: string }) {
  const t = useT();
  return (
    <details className={styles.detail}>
      <summary>{t('ops.doctor.detail')}</summary>
      <code>{text}</code>
    </details>
  );
}
