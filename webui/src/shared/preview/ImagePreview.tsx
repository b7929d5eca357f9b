import { lazy, Suspense, useState } from 'react';
import { useT } from '../../i18n';
import { Button } from '../ui';
import type { PreviewedFile } from './FilePreview';
import styles from './preview.module.css';

const Lightbox = lazy(() => import('./Lightbox').then((module) => ({ default: module.Lightbox })));

/** ImagePreview fits a picture to the page; a click shows it large. */
export function ImagePreview({ file }: { file: PreviewedFile }) {
  const t = useT();
  const [large, setLarge] = useState(false);
  const [tries, setTries] = useState(0);
  const [failed, setFailed] = useState(false);

  if (failed) {
    return (
      <div className={styles.notice} role="alert">
        <p>{t('preview.image.failed')}</p>
        <Button
          onClick={() => {
            setFailed(false);
            setTries(tries + 1);
          }}
        >
          {t('common.retry')}
        </Button>
      </div>
    );
  }
  return (
    <>
      <button
        type="button"
        className={styles.image}
        aria-label={t('preview.image.open', { name: file.filename })}
        onClick={() => setLarge(true)}
      >
        <img key={tries} src={file.viewUrl} alt={file.filename} onError={() => setFailed(true)} />
      </button>
      {large && (
        <Suspense fallback={null}>
          <Lightbox
            pictures={[{ src: file.viewUrl, name: file.filename }]}
            index={0}
            onIndex={() => {}}
            onClose={() => setLarge(false)}
          />
        </Suspense>
      )}
    </>
  );
}
