import { lazy, Suspense, useState, type CSSProperties } from 'react';
import { useT } from '../../i18n';
import type { EditorProps } from '../../shared/editor/editor';
import { PlainEditor } from '../../shared/editor/PlainEditor';
import { Skeleton } from '../../shared/ui';
import { Divider } from './Divider';
import styles from './home.module.css';
import type { View } from './view';

const MarkdownEditor = lazy(() => import('../../shared/editor/MarkdownEditor'));
const Preview = lazy(() => import('./Preview'));

/** MarkdownPanes is the source and its preview, side by side or one of them. */
export default function MarkdownPanes({ view, ...editor }: EditorProps & { view: View }) {
  const t = useT();
  const [scroll, setScroll] = useState(0);
  const [ratio, setRatio] = useState(50);
  return (
    <div className={`${styles.panes} ${styles[view]}`} style={{ '--source': `${ratio}%` } as CSSProperties}>
      <div className={styles.source} hidden={view === 'preview'}>
        <Suspense fallback={<PlainEditor {...editor} />}>
          <MarkdownEditor {...editor} onScroll={setScroll} />
        </Suspense>
      </div>
      {view === 'split' && <Divider label={t('home.editor.divider')} value={ratio} onChange={setRatio} />}
      {view !== 'source' && (
        <Suspense fallback={<Skeleton lines={5} />}>
          <Preview text={editor.text} scroll={view === 'split' ? scroll : undefined} />
        </Suspense>
      )}
    </div>
  );
}
