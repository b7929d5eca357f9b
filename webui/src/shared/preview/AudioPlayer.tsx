import { Repeat, Repeat1, SkipBack, SkipForward, X } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useT } from '../../i18n';
import { dock } from '../dock';
import { IconButton, SelectField } from '../ui';
import { audio, isPlaying, load, neighbour, setLoop, skip, stop, useDeck, type Loop } from './audioDeck';
import { Settled, type FilePreviewProps } from './FilePreview';
import styles from './preview.module.css';
import { speeds, speedText } from './speeds';
import { Unshown } from './Unshown';

/** AudioPlayer plays a sound and those beside it. It goes on when one leaves for another page. */
export default function AudioPlayer({ file, around, onSettled }: FilePreviewProps) {
  const t = useT();
  const deck = useDeck();
  const [speed, setSpeed] = useState(1);
  useEffect(() => {
    dock(null);
    load(file, around);
  }, [file, around]);
  // Leaving with a sound on takes it along.
  useEffect(
    () => () => {
      if (isPlaying()) dock(<DockedPlayer />);
      else stop();
    },
    [],
  );
  useEffect(() => {
    audio().playbackRate = speed;
  }, [speed, deck.file]);

  return (
    <>
      <Settled onSettled={onSettled} />
      {deck.broken ? (
        <Unshown file={file} text={t('preview.media.unsupported')} />
      ) : (
        <div className={styles.sound}>
          {deck.names.length > 1 && <p className={styles.soundName}>{deck.file?.filename}</p>}
          <Element />
          <div className={styles.playerTools}>
            <SelectField
              className={styles.speed}
              label={t('viewers.media.speed')}
              value={String(speed)}
              choices={speeds.map((value) => ({ value: String(value), label: speedText(value) }))}
              onChange={(event) => setSpeed(Number(event.target.value))}
            />
            {deck.names.length > 1 && <Order />}
          </div>
        </div>
      )}
    </>
  );
}

function Order() {
  const t = useT();
  const { file, names, loop } = useDeck();
  const name = file?.filename ?? '';
  const round = loop === 'all';
  const next: Record<Loop, Loop> = { off: 'all', all: 'one', one: 'off' };
  return (
    <>
      <IconButton
        label={t('viewers.media.previous')}
        disabled={!neighbour(names, name, -1, round)}
        onClick={() => void skip(-1)}
      >
        <SkipBack size={20} aria-hidden="true" />
      </IconButton>
      <IconButton
        label={t('viewers.media.next')}
        disabled={!neighbour(names, name, 1, round)}
        onClick={() => void skip(1)}
      >
        <SkipForward size={20} aria-hidden="true" />
      </IconButton>
      <IconButton
        label={t(`viewers.media.loop.${loop}`)}
        data-on={loop !== 'off' || undefined}
        onClick={() => setLoop(next[loop])}
      >
        {loop === 'one' ? <Repeat1 size={20} aria-hidden="true" /> : <Repeat size={20} aria-hidden="true" />}
      </IconButton>
    </>
  );
}

/** Element is the place of the one audio element. It is moved in one step, which a sound survives. */
function Element() {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = audio();
    element.className = styles.audio ?? '';
    element.hidden = false;
    place.current?.append(element);
    return () => {
      element.hidden = true;
      document.body.append(element);
    };
  }, []);

  function keys(event: KeyboardEvent) {
    const player = audio();
    if (event.target !== player || event.ctrlKey || event.altKey || event.metaKey) return;
    const action = {
      ' ': () => void (player.paused ? player.play() : player.pause()),
      ArrowLeft: () => (player.currentTime = Math.max(0, player.currentTime - 5)),
      ArrowRight: () => (player.currentTime = Math.min(player.duration || 0, player.currentTime + 5)),
      ArrowUp: () => (player.volume = Math.min(1, player.volume + 0.1)),
      ArrowDown: () => (player.volume = Math.max(0, player.volume - 0.1)),
      m: () => (player.muted = !player.muted),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
  return <div ref={place} className={styles.audioPlace} onKeyDown={keys} />;
}

/** DockedPlayer is the player while one looks at other pages. */
function DockedPlayer() {
  const t = useT();
  const { file, names } = useDeck();
  useEffect(() => {
    if (!file) dock(null);
  }, [file]);
  if (!file) return null;
  return (
    <section className={styles.docked} aria-label={t('viewers.media.docked')}>
      <p className={styles.soundName}>{file.filename}</p>
      <Element />
      {names.length > 1 && <Order />}
      <IconButton
        label={t('viewers.media.end')}
        onClick={() => {
          stop();
          dock(null);
        }}
      >
        <X size={20} aria-hidden="true" />
      </IconButton>
    </section>
  );
}
