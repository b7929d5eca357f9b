import { useEffect, useRef, useState } from 'react';
import { useT } from '../../i18n';
import { audio } from './audioDeck';
import { lineAt, type LyricLine } from './lyrics';
import styles from './preview.module.css';

/** Lyrics shows the words of a sound and follows it; a click on a line goes there. */
export function Lyrics({ lines }: { lines: readonly LyricLine[] }) {
  const t = useT();
  const list = useRef<HTMLOListElement>(null);
  const [at, setAt] = useState(-1);

  useEffect(() => {
    const player = audio();
    const follow = () => setAt(lineAt(lines, player.currentTime));
    follow();
    player.addEventListener('timeupdate', follow);
    player.addEventListener('seeking', follow);
    return () => {
      player.removeEventListener('timeupdate', follow);
      player.removeEventListener('seeking', follow);
    };
  }, [lines]);

  // Only the list moves, never the page, and not while someone reads in it.
  useEffect(() => {
    const box = list.current;
    const line = box?.children[at];
    if (!box || !(line instanceof HTMLElement) || box.matches(':hover, :focus-within')) return;
    box.scrollTop = line.offsetTop - box.clientHeight / 2 + line.clientHeight / 2;
  }, [at]);

  return (
    <ol ref={list} className={styles.lyrics} aria-label={t('viewers.media.lyrics')}>
      {lines.map((line, index) => (
        <li key={index}>
          <button
            type="button"
            aria-current={index === at ? 'true' : undefined}
            onClick={() => (audio().currentTime = line.at)}
          >
            {line.text || '♪'}
          </button>
        </li>
      ))}
    </ol>
  );
}
