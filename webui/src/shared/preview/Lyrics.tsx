import { useSyncExternalStore } from 'react';
import { useT } from '../../i18n';
import { audio } from './audioDeck';
import { lineAt, type LyricLine } from './lyrics';
import styles from './preview.module.css';

function followTime(tell: () => void): () => void {
  const player = audio();
  player.addEventListener('timeupdate', tell);
  player.addEventListener('seeking', tell);
  return () => {
    player.removeEventListener('timeupdate', tell);
    player.removeEventListener('seeking', tell);
  };
}

/** centre shows the line that is sung. Only the list moves, never the page, and not while someone reads in it. */
function centre(line: HTMLElement | null) {
  const box = line?.parentElement;
  if (!box || box.matches(':hover, :focus-within')) return;
  box.scrollTop = line.offsetTop - box.clientHeight / 2 + line.clientHeight / 2;
}

/** Lyrics shows the words of a sound and follows it; a click on a line goes there. */
export function Lyrics({ lines }: { lines: readonly LyricLine[] }) {
  const t = useT();
  const at = useSyncExternalStore(followTime, () => lineAt(lines, audio().currentTime));

  return (
    <ol className={styles.lyrics} aria-label={t('viewers.media.lyrics')}>
      {lines.map((line, index) => (
        <li key={index} ref={index === at ? centre : undefined}>
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
