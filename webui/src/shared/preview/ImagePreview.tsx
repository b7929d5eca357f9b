import { Play } from 'lucide-react';
import { lazy, Suspense, useRef, useState, type CSSProperties, type SyntheticEvent } from 'react';
import { useT } from '../../i18n';
import { Button } from '../ui';
import { Settled, type FilePreviewProps } from './Settled';
import { LoadFailed } from './LoadFailed';
import { mayMove, moves } from './moving';
import styles from './preview.module.css';
import { scriptSource, sourcesOf, type PreviewedFile } from './previewed';
import { useWork } from './useWork';

const FolderLightbox = lazy(() => import('./FolderLightbox'));

/** ImagePreview fits a picture to the page; a click shows it large. */
export function ImagePreview({ file, around, onSettled }: FilePreviewProps) {
  const t = useT();
  const still = useRef<HTMLCanvasElement>(null);
  // Who wants no motion gets the first picture of a moving one, and a button.
  const [moving, setMoving] = useState(
    () => !mayMove(file.filename) || !matchMedia('(prefers-reduced-motion: reduce)').matches,
  );
  const held = useHeld(file, !moving, () => setMoving(true));
  const [large, setLarge] = useState(false);
  const [tries, setTries] = useState(0);
  const [failed, setFailed] = useState(0);
  const [shape, setShape] = useState<CSSProperties>();
  const src = sourcesOf(file)[failed];
  if (src === undefined) {
    return (
      <>
        <Settled onSettled={onSettled} />
        <LoadFailed
          file={file}
          text={t('preview.image.failed')}
          onRetry={() => {
            setFailed(0);
            setTries(tries + 1);
          }}
        />
      </>
    );
  }
  const onLoad = ({ currentTarget }: SyntheticEvent<HTMLImageElement>) => {
    const { naturalWidth, naturalHeight } = currentTarget;
    // An SVG without a size keeps the frame.
    const sized = naturalWidth > 0 && naturalHeight > 0;
    setShape(
      sized
        ? {
            aspectRatio: `${naturalWidth} / ${naturalHeight}`,
            maxHeight: `min(70vh, 800px, ${Math.max(naturalHeight, 120)}px)`,
          }
        : {},
    );
    if (still.current) {
      still.current.width = naturalWidth;
      still.current.height = naturalHeight;
      still.current.getContext('2d')?.drawImage(currentTarget, 0, 0);
    }
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
          style={shape && moving ? undefined : { opacity: 0 }}
          alt={file.filename}
          onLoad={onLoad}
          onError={() => setFailed(failed + 1)}
        />
        {!moving && <canvas ref={still} aria-hidden="true" />}
      </button>
      {held && (
        <Button icon={<Play size={18} />} onClick={() => setMoving(true)}>
          {t('preview.image.play')}
        </Button>
      )}
      {large && (
        <Suspense fallback={null}>
          <FolderLightbox file={file} src={src} around={around} onClose={() => setLarge(false)} />
        </Suspense>
      )}
    </>
  );
}

/** useHeld is true when a picture that is shown still does move; `onStill` is told that it does not. */
function useHeld(file: PreviewedFile, still: boolean, onStill: () => void): boolean {
  const { value } = useWork(['moves', scriptSource(file).url], (signal) => moves(file, signal), {
    enabled: still,
  });
  if (still && value === false) onStill();
  return value === true && still;
}
