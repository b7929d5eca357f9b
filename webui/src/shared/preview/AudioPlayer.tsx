import { Music, Repeat, Repeat1, SkipBack, SkipForward, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useT } from '../../i18n';
import { dock } from '../dock';
import { IconButton } from '../ui';
import {
  audio,
  describe,
  isPlaying,
  load,
  neighbour,
  setLoop,
  skip,
  stop,
  useDeck,
  type Loop,
} from './audioDeck';
import { Settled, type FilePreviewProps } from './Settled';
import { Lyrics } from './Lyrics';
import { playByKey } from './playerKeys';
import styles from './preview.module.css';
import { SpeedField } from './SpeedField';
import { Unshown } from './Unshown';
import { mayHaveTags } from './tags';
import { useBeside } from './useBeside';
import { useTags } from './useTags';

/** AudioPlayer plays a sound and those beside it. It goes on when one leaves for another page. */
export default function AudioPlayer({ file, around, onSettled }: FilePreviewProps) {
  const t = useT();
  const deck = useDeck();
  const [speed, setSpeed] = useState(1);
  const beside = useBeside(deck.file?.filename ?? file.filename, around);
  const tags = useTags(deck.file);
  const cover = beside.cover || tags.cover;
  const { title, artist } = tags;
  // The place of a cover is kept from the beginning, so that nothing moves when it comes.
  const hasHead = deck.names.length > 1 || cover !== '' || mayHaveTags(deck.file?.filename ?? file.filename);
  useEffect(() => {
    dock(null);
    load(file, around);
  }, [file, around]);
  useEffect(() => {
    if (title || cover) describe({ title, artist, cover });
  }, [title, artist, cover]);
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
        <Unshown file={file} text={t('viewers.media.unsupported')} />
      ) : (
        <div className={styles.sound}>
          {hasHead && (
            <div className={styles.soundHead}>
              {cover ? (
                <img className={styles.cover} src={cover} alt="" width={64} height={64} />
              ) : (
                <span className={styles.noCover} aria-hidden="true">
                  <Music size={28} />
                </span>
              )}
              <div className={styles.soundTitle}>
                <p className={styles.soundName} dir="auto">
                  {title || deck.file?.filename}
                </p>
                {artist && <p className={styles.artist}>{artist}</p>}
              </div>
            </div>
          )}
          <Element />
          <div className={styles.playerTools}>
            <SpeedField speed={speed} onChange={setSpeed} />
            {deck.names.length > 1 && <Order />}
          </div>
          {beside.lyrics.length > 0 && <Lyrics lines={beside.lyrics} />}
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
        <SkipBack size={20} />
      </IconButton>
      <IconButton
        label={t('viewers.media.next')}
        disabled={!neighbour(names, name, 1, round)}
        onClick={() => void skip(1)}
      >
        <SkipForward size={20} />
      </IconButton>
      <IconButton
        label={t(`viewers.media.loop.${loop}`)}
        data-on={loop !== 'off' || undefined}
        onClick={() => setLoop(next[loop])}
      >
        {loop === 'one' ? <Repeat1 size={20} /> : <Repeat size={20} />}
      </IconButton>
    </>
  );
}

/** hold has the one audio element stand in a place, and in none when that goes. It moves in one step, which a sound survives. */
function hold(place: HTMLElement | null) {
  if (!place) return;
  const element = audio();
  element.className = styles.audio ?? '';
  element.hidden = false;
  place.append(element);
  return () => {
    element.hidden = true;
    document.body.append(element);
  };
}

/** Element is the place of the one audio element. */
const Element = () => (
  <div ref={hold} className={styles.audioPlace} onKeyDown={(event) => playByKey(event, audio())} />
);

/** DockedPlayer is the player while one looks at other pages. */
function DockedPlayer() {
  const t = useT();
  const { file, names } = useDeck();
  if (!file) return null;
  return (
    <section className={styles.docked} aria-label={t('viewers.media.docked')}>
      <p className={styles.soundName} dir="auto">
        {file.filename}
      </p>
      <Element />
      {names.length > 1 && <Order />}
      <IconButton label={t('viewers.media.end')} onClick={stop}>
        <X size={20} />
      </IconButton>
    </section>
  );
}
