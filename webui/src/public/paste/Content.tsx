import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { loadAreas, useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { LazyMarkdownDocument } from '../../shared/markdown/LazyMarkdownDocument';
import { noteShown } from '../../shared/page';
import { linesHash, parseLines, type LineRange } from '../../shared/preview/lines';
import { Button, Segmented, Skeleton } from '../../shared/ui';
import styles from './paste.module.css';
import { longestRendered, type View } from './syntax';

const TextView = lazy(() => import('../../shared/preview/TextView').then((m) => ({ default: m.TextView })));
const CodeView = lazy(() =>
  withWords(import('../../shared/preview/CodeView').then((m) => ({ default: m.CodeView }))),
);
const GoToLines = lazy(() =>
  withWords(import('../../shared/preview/GoToLines').then((m) => ({ default: m.GoToLines }))),
);

/** withWords fetches the words of the previews beside one of them. */
async function withWords<T>(module: Promise<T>): Promise<T> {
  const [loaded] = await Promise.all([module, loadAreas('preview')]);
  return loaded;
}

interface ContentProps {
  text: string;
  syntax: string | null | undefined;
  view: View;
  onView: (view: View) => void;
}

/** Content shows a paste's text as rendered Markdown, as it is, or as code. Each form loads what it needs and no more. */
export function Content({ text, syntax, view, onView }: ContentProps) {
  const t = useT();
  const language = useLanguage();
  const [wrap, setWrap] = useState(true);
  const [selected, setSelected] = useSelectedLines();
  const [anyway, setAnyway] = useState(false);
  const places = useRef(new Map<View, number>());

  function change(next: View) {
    places.current.set(view, scrollY);
    onView(next);
  }

  useEffect(() => {
    if (view !== 'preview') noteShown();
  }, [view]);

  useEffect(() => {
    const place = places.current.get(view);
    if (place === undefined) return;
    const frame = requestAnimationFrame(() => scrollTo(0, place));
    return () => cancelAnimationFrame(frame);
  }, [view]);

  function select(range: LineRange) {
    setSelected(range);
    history.replaceState(history.state, '', linesHash(range));
  }

  return (
    <div>
      <div className={styles.toolbar}>
        <Segmented
          label={t('pasteView.modes.label')}
          value={view}
          onChange={change}
          choices={[
            {
              value: 'preview',
              label: t('pasteView.modes.preview'),
            },
            {
              value: 'text',
              label: t('pasteView.modes.text'),
            },
            { value: 'code', label: t('pasteView.modes.code') },
          ]}
        />
        {view !== 'preview' && (
          <Button variant={wrap ? 'plain' : 'quiet'} aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
            {t('pasteView.wrap')}
          </Button>
        )}
        {view === 'code' && (
          <Suspense fallback={<div className={styles.goToPlace} />}>
            <GoToLines onSelect={select} />
          </Suspense>
        )}
      </div>
      {view === 'text' && (
        <Suspense fallback={<Skeleton lines={8} />}>
          <TextView text={text} wrap={wrap} label={t('pasteView.content')} />
        </Suspense>
      )}
      {view === 'code' && (
        <Suspense fallback={<Skeleton lines={8} />}>
          <CodeView
            text={text}
            language={syntax ?? ''}
            wrap={wrap}
            label={t('pasteView.content')}
            selected={selected}
            onSelect={select}
          />
        </Suspense>
      )}
      {view === 'preview' &&
        (text.length > longestRendered && !anyway ? (
          <div className={styles.notice}>
            <p>{t('pasteView.large', { size: formatSize(text.length, language) })}</p>
            <Button onClick={() => setAnyway(true)}>{t('pasteView.render')}</Button>
          </div>
        ) : (
          <Suspense fallback={<Skeleton lines={8} />}>
            <LazyMarkdownDocument text={text} onReady={noteShown} />
          </Suspense>
        ))}
    </div>
  );
}

/** useSelectedLines follows the address, so that a link to lines and the back button both work. */
function useSelectedLines() {
  const [selected, setSelected] = useState<LineRange | undefined>(() => parseLines(location.hash));
  useEffect(() => {
    const follow = () => setSelected(parseLines(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return [selected, setSelected] as const;
}
