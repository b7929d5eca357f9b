import { PictureInPicture2 } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useT } from '../../i18n';
import { Button, CopyButton, SelectField } from '../ui';
import { Settled, type FilePreviewProps } from './FilePreview';
import { extensionOf } from './kind';
import { lazyPart } from '../lazyPart';
import styles from './preview.module.css';
import { sourcesOf } from './previewed';
import { speeds, speedText } from './speeds';
import { Suspended } from './Suspended';
import { Unshown } from './Unshown';
import { useStream } from './useStream';
import { useSubtitles } from './useSubtitles';

const TextPreview = lazyPart(() => import('./TextPreview'));

/** MediaPlayer plays a film, with its subtitles where they lie beside it. */
export default function MediaPlayer({ file, around, onSettled }: FilePreviewProps) {
  const t = useT();
  const video = useRef<HTMLVideoElement>(null);
  const [failed, setFailed] = useState(0);
  const [speed, setSpeed] = useState(1);
  const extension = extensionOf(file.filename);
  const inPieces = extension === 'm3u8';
  const sources = sourcesOf(file);
  const src = sources[failed];
  const subtitles = useSubtitles(file.filename, around);
  const [streaming, broken] = useStream(video, inPieces ? file : undefined, around);

  useEffect(() => {
    if (video.current) video.current.playbackRate = speed;
  }, [speed]);

  const unplayable = inPieces ? broken : src === undefined;
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
        <Unshown file={file} text={t('preview.media.unsupported')} />
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

  function keys(event: KeyboardEvent<HTMLVideoElement>) {
    const player = event.currentTarget;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const action = {
      ' ': () => void (player.paused ? player.play() : player.pause()),
      ArrowLeft: () => (player.currentTime = Math.max(0, player.currentTime - 5)),
      ArrowRight: () => (player.currentTime = Math.min(player.duration || 0, player.currentTime + 5)),
      ArrowUp: () => (player.volume = Math.min(1, player.volume + 0.1)),
      ArrowDown: () => (player.volume = Math.max(0, player.volume - 0.1)),
      m: () => (player.muted = !player.muted),
      f: () => void (document.fullscreenElement ? document.exitFullscreen() : player.requestFullscreen()),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  return (
    <>
      <Settled onSettled={onSettled} />
      <video
        ref={video}
        {...(!inPieces && { src })}
        controls
        playsInline
        preload="metadata"
        className={styles.video}
        aria-label={file.filename}
        aria-busy={inPieces && !streaming ? true : undefined}
        onKeyDown={keys}
        onRateChange={(event) => setSpeed(event.currentTarget.playbackRate)}
        onError={() => {
          if (!inPieces) setFailed(failed + 1);
        }}
      >
        {subtitles.map((track, index) => (
          <track key={track.url} kind="subtitles" src={track.url} label={track.label} default={index === 0} />
        ))}
      </video>
      <div className={styles.playerTools}>
        <SelectField
          className={styles.speed}
          label={t('viewers.media.speed')}
          value={String(speed)}
          choices={speeds.map((value) => ({ value: String(value), label: speedText(value) }))}
          onChange={(event) => setSpeed(Number(event.target.value))}
        />
        {document.pictureInPictureEnabled && (
          <Button
            variant="quiet"
            icon={<PictureInPicture2 size={18} aria-hidden="true" />}
            onClick={() => void video.current?.requestPictureInPicture().catch(() => undefined)}
          >
            {t('viewers.media.small')}
          </Button>
        )}
      </div>
    </>
  );
}
