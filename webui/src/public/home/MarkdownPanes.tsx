import { lazy, Suspense, useCallback, useRef, useState, type CSSProperties } from 'react';
import { useT } from '../../i18n';
import { parsedUpTo, type EditorHandle, type EditorProps } from '../../shared/editor/editor';
import { EditorLoading } from '../../shared/editor/PlainEditor';
import { Skeleton } from '../../shared/ui';
import { Divider } from './Divider';
import styles from './home.module.css';
import { whenCalm } from './whenCalm';
import type { Way } from './view';

// What someone is typing with an input method is not taken from under their hands.
const MarkdownEditor = lazy(async () => {
  const [module] = await Promise.all([import('../../shared/editor/MarkdownEditor'), whenCalm()]);
  return module;
});
const Preview = lazy(() => import('./Preview'));

/** MarkdownPanes is the source and its preview, side by side or one of them. */
export default function MarkdownPanes({ way, onReady, ...editor }: EditorProps & { way: Way }) {
  const t = useT();
  const [line, setLine] = useState(1);
  const handle = useRef<EditorHandle>(undefined);
  const [ratio, setRatio] = useState(50);
  const look = way === 'plain' || way === 'instant' ? way : 'source';
  const ready = useCallback(
    (given: EditorHandle | undefined) => {
      handle.current = given;
      onReady(given);
    },
    [onReady],
  );
  return (
    <div
      className={`${styles.panes} ${way === 'split' ? styles.split : ''}`}
      style={{ '--source': `${ratio}%` } as CSSProperties}
    >
      <div className={styles.source} hidden={way === 'preview'}>
        {way === 'instant' && editor.text.length > parsedUpTo && (
          <p className={styles.note}>{t('home.editor.large')}</p>
        )}
        <Suspense fallback={<EditorLoading {...editor} onReady={ready} />}>
          <MarkdownEditor {...editor} onReady={ready} look={look} onScroll={setLine} />
        </Suspense>
      </div>
      {way === 'split' && <Divider label={t('home.editor.divider')} value={ratio} onChange={setRatio} />}
      {(way === 'split' || way === 'preview') && (
        <Suspense fallback={<Skeleton lines={5} />}>
          <Preview
            text={editor.text}
            line={way === 'split' ? line : undefined}
            onScroll={(top) => handle.current?.showLine?.(top)}
          />
        </Suspense>
      )}
    </div>
  );
}
