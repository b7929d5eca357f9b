import { ExternalLink, Files, Pencil } from 'lucide-react';
import { Suspense, useRef } from 'react';
import { Link } from 'wouter';
import type { Collection } from '../../api/types';
import { pageUrl } from '../../config';
import { useT } from '../../i18n';
import { lazyPart } from '../../shared/lazyPart';
import { buttonClass, CopyButton } from '../../shared/ui';
import rows from '../../shared/uploader/row.module.css';
import styles from './upload.module.css';

const Told = lazyPart(() => import('../../shared/shareform/Told'), 'shareBox');

/** Joined is the card of one link that was made for several files. */
export function Joined({ collection }: { collection: Collection }) {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  const path = `/collection/${collection.slug}`;
  const name = collection.title || t('file.results.joined', collection.items.length);
  return (
    <li className={styles.result}>
      <Files size={24} />
      <div className={`${rows.rowBody} ${styles.resultBody}`}>
        <p className={rows.rowName} dir="auto">
          {name}
        </p>
        <input
          ref={field}
          className={styles.link}
          readOnly
          value={pageUrl(path)}
          aria-label={t('file.results.link', { name })}
          onFocus={(event) => event.target.select()}
        />
        <div className={styles.resultActions}>
          <CopyButton
            variant="primary"
            text={pageUrl(path)}
            label={t('file.results.copyLink')}
            selects={field}
          />
          <Link href={path} className={buttonClass()}>
            <ExternalLink size={18} />
            {t('file.results.open')}
          </Link>
          <Link href={`${path}?edit`} className={buttonClass()}>
            <Pencil size={18} />
            {t('file.results.edit')}
          </Link>
        </div>
        <Suspense fallback={null}>
          <Told id={collection.id} />
        </Suspense>
      </div>
    </li>
  );
}
