import { lazy, Suspense, useEffect, useState, type CSSProperties, type SyntheticEvent } from 'react';
import { useT } from '../../i18n';
import { Button } from '../ui';
import { sourcesOf, type FilePreviewProps } from './FilePreview';
import styles from './preview.module.css';

const Lightbox = lazy(() => import('./Lightbox').then((module) => ({ default: module.Lightbox })));

/** ImagePreview fits a picture to the page; a click shows it large. */
export function ImagePreview({ file, onSettled }: FilePreviewProps) {
  const t = useT();
  const [large, setLarge] = useState(false);
  const [tries, setTries] = useState(0);
  const [failed, setFailed] = useState(0);
  const [shape, setShape] = useState<CSSProperties>();
  const src = sourcesOf(file)[failed];
  useEffect(() => {
    if (src === undefined) onSettled?.();
  }, [src, onSettled]);

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
  const onLoad = ({ currentTarget: { naturalWidth, naturalHeight } }: SyntheticEvent<HTMLImageElement>) => {
    // An SVG without a size keeps the frame.
    const sized = naturalWidth > 0 && naturalHeight > 0;
    setShape(
      sized
        ? { aspectRatio: `${naturalWidth} / ${naturalHeight}`, maxWidth: Math.max(naturalWidth, 120) }
        : {},
    );
    onSettled?.();
  };
  return (
    <>
      <button
        type="button"
        className={styles.image}
        style={shape}
        aria-label={t('preview.image.open', { name: file.filename })}
        onClick={() => setLarge(true)}
      >
        <img
          key={`${tries} ${failed}`}
          src={src}
          style={shape ? undefined : { opacity: 0 }}
          alt={file.filename}
          onLoad={onLoad}
          onError={() => setFailed(failed + 1)}
        />
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
