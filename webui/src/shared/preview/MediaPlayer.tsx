import { PictureInPicture2 } from 'lucide-react';
import { useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { useT } from '../../i18n';
import { Button, CopyButton } from '../ui';
import { Settled, type FilePreviewProps } from './Settled';
import { extensionOf } from './kind';
import { lazyPart } from '../lazyPart';
import { LoadFailed } from './LoadFailed';
import { playByKey } from './playerKeys';
import styles from './preview.module.css';
import { sourcesOf } from './previewed';
import { SpeedField } from './SpeedField';
import { Suspended } from './Suspended';
import { Unshown } from './Unshown';
import { isStream, useStream } from './useStream';
import { useSubtitles } from './useSubtitles';

const TextPreview = lazyPart(() => import('./TextPreview'));

/** setRate changes how fast a film plays, also after it is loaded again. */
function setRate(video: HTMLVideoElement | null, rate: number) {
  if (video) video.playbackRate = video.defaultPlaybackRate = rate;
}

/** MediaPlayer plays a film, with its subtitles where they lie beside it. */
export default function MediaPlayer({ file, around, onSettled }: FilePreviewProps) {
  const t = useT();
  const video = useRef<HTMLVideoElement>(null);
  const [failed, setFailed] = useState(0);
  const [speed, setSpeed] = useState(1);
  const extension = extensionOf(file.filename);
  const streamed = isStream(file.filename);
  const sources = sourcesOf(file);
  const src = sources[failed];
  const subtitles = useSubtitles(file.filename, around);
  const stream = useStream(video, streamed ? file : undefined, around);
  const [cut, setCut] = useState(false);

  const fail = useEffectEvent(() => setFailed(failed + 1));
  useLayoutEffect(() => {
    // An address can fail before the element is on the page, where nothing hears of it.
    if (!streamed && video.current?.error) fail();
  }, [src, streamed]);

  /** goOn loads a film again that was cut, and goes to where it was. */
  function goOn() {
    const element = video.current;
    if (streamed || !element) {
      stream.retry();
      return;
    }
    const at = element.currentTime;
    setCut(false);
    element.addEventListener('loadedmetadata', () => (element.currentTime = at), { once: true });
    element.load();
  }

  const unplayable = streamed ? stream.state === 'broken' : src === undefined;
  if (unplayable && (extension === 'ts' || extension === 'mts')) {
    // The same ending stands for films and for TypeScript.
    return (
      <Suspended>
        <TextPreview file={file} kind="code" onSettled={onSettled} />
      </Suspended>
    );
  }
  if (unplayable) {
    return (
      <>
        <Settled onSettled={onSettled} />
        <Unshown file={file} text={t('viewers.media.unsupported')} />
        <p className={styles.outside}>
          <span>{t('viewers.media.elsewhere')}</span>
          <CopyButton
            text={() => new URL(file.viewUrl, location.href).href}
            label={t('viewers.media.copyAddress')}
          />
        </p>
      </>
    );
  }

  return (
    <>
      {(!streamed || stream.state !== 'loading') && <Settled onSettled={onSettled} />}
      <video
        ref={video}
        {...(!streamed && { src })}
        controls
        playsInline
        preload="metadata"
        className={styles.video}
        aria-label={file.filename}
        aria-busy={streamed && stream.state === 'loading' ? true : undefined}
        onKeyDown={(event) => playByKey(event, event.currentTarget)}
        onRateChange={(event) => setSpeed(event.currentTarget.playbackRate)}
        onError={(event) => {
          if (streamed) return;
          // Another address helps a film that cannot begin; one that has begun has lost its rest.
          if (event.currentTarget.currentTime > 0) setCut(true);
          else setFailed(failed + 1);
        }}
      >
        {subtitles.map((track, index) => (
          <track key={track.url} kind="subtitles" src={track.url} label={track.label} default={index === 0} />
        ))}
      </video>
      {(cut || stream.state === 'cut') && (
        <LoadFailed file={file} text={t('viewers.media.cut')} onRetry={goOn} />
      )}
      <div className={styles.playerTools}>
        <SpeedField speed={speed} onChange={(rate) => setRate(video.current, rate)} />
        {document.pictureInPictureEnabled && (
          <Button
            variant="quiet"
            icon={<PictureInPicture2 size={18} />}
            onClick={() => void video.current?.requestPictureInPicture().catch(() => undefined)}
          >
            {t('viewers.media.small')}
          </Button>
        )}
      </div>
    </>
  );
}
