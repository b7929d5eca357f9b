import { config } from '../config';
import { useSiteTitle } from './page';
import { useSite } from './site';
import { Mark } from './Mark';
import styles from './Wordmark.module.css';

/** Wordmark is the site's logo; without one its icon, else the product's mark, with its name. */
export function Wordmark() {
  const title = useSiteTitle();
  const { faviconUrl } = useSite();
  if (config.logoUrl) return <img className={styles.logo} src={config.logoUrl} alt={title} />;
  return (
    <>
      <span className={styles.mark}>
        {faviconUrl ? <img src={faviconUrl} width={28} height={28} alt="" /> : <Mark size={28} />}
      </span>
      <span className={styles.name}>{title}</span>
    </>
  );
}
