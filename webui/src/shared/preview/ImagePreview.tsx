import { lazy, Suspense, useState } from 'react';
import { useT } from '../../i18n';
import { Button } from '../ui';
import { sourcesOf, type PreviewedFile } from './FilePreview';
import styles from './preview.module.css';

const Lightbox = lazy(() => import('./Lightbox').then((module) => ({ default: module.Lightbox })));

/** ImagePreview fits a picture to the page; a click shows it large. */
export function ImagePreview({ file }: { file: PreviewedFile }) {
  const t = useT();
  const [large, setLarge] = useState(false);
  const [tries, setTries] = useState(0);
  const [failed, setFailed] = useState(0);
  const src = sourcesOf(file)[failed];

  if (src === undefined) {
    return (
      <div className={styles.notice} role="alert">
        <p>{t('preview.image.failed')}</p>
        <Button
          onClick={() => {
            setFailed(0);
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
        <img key={`${tries} ${failed}`} src={src} alt={file.filename} onError={() => setFailed(failed + 1)} />
      </button>
      {large && (
        <Suspense fallback={null}>
          <Lightbox
            pictures={[{ src, name: file.filename }]}
            index={0}
            onIndex={() => {}}
            onClose={() => setLarge(false)}
          />
        </Suspense>
      )}
    </>
  );
}
