import { lazy, Suspense, useState, type CSSProperties } from 'react';
import { useT } from '../../i18n';
import type { EditorProps } from '../../shared/editor/editor';
import { PlainEditor } from '../../shared/editor/PlainEditor';
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
export default function MarkdownPanes({ way, ...editor }: EditorProps & { way: Way }) {
  const t = useT();
  const [scroll, setScroll] = useState(0);
  const [ratio, setRatio] = useState(50);
  const look = way === 'plain' || way === 'instant' ? way : 'source';
  return (
    <div
      className={`${styles.panes} ${way === 'split' ? styles.split : ''}`}
      style={{ '--source': `${ratio}%` } as CSSProperties}
    >
      <div className={styles.source} hidden={way === 'preview'}>
        <Suspense fallback={<PlainEditor {...editor} />}>
          <MarkdownEditor {...editor} look={look} onScroll={setScroll} />
        </Suspense>
      </div>
      {way === 'split' && <Divider label={t('home.editor.divider')} value={ratio} onChange={setRatio} />}
      {(way === 'split' || way === 'preview') && (
        <Suspense fallback={<Skeleton lines={5} />}>
          <Preview text={editor.text} scroll={way === 'split' ? scroll : undefined} />
        </Suspense>
      )}
    </div>
  );
}
