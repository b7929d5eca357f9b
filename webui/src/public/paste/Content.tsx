import { lazy, Suspense, useState } from 'react';
import { useListener } from '../../hooks/useListener';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { lazyPart } from '../../shared/lazyPart';
import { LazyMarkdownDocument } from '../../shared/markdown/LazyMarkdownDocument';
import { noteShown } from '../../shared/page';
import { Settled } from '../../shared/preview/Settled';
import { linesHash, parseLines, type LineRange } from '../../shared/preview/lines';
import { Button, Skeleton } from '../../shared/ui';
import styles from './paste.module.css';
import { longestRendered, type View } from './syntax';

const TextView = lazy(() => import('../../shared/preview/TextView').then((m) => ({ default: m.TextView })));
const CodeView = lazyPart(
  async () => ({ default: (await import('../../shared/preview/CodeView')).CodeView }),
  'preview',
);
const GoToLines = lazy(() =>
  import('../../shared/preview/GoToLines').then((m) => ({ default: m.GoToLines })),
);

interface ContentProps {
  text: string;
  syntax: string | null | undefined;
  view: View;
  /** wrap breaks long lines of the text and the code. */
  wrap: boolean;
  /** tools is where the page's bar has a place for what belongs to the form. */
  tools: HTMLElement | null;
}

/** Content shows a paste's text as rendered Markdown, as it is, or as code. Each form loads what it needs and no more. */
export function Content({ text, syntax, view, wrap, tools }: ContentProps) {
  const t = useT();
  const language = useLanguage();
  const [selected, setSelected] = useSelectedLines();
  const [anyway, setAnyway] = useState(false);

  function select(range: LineRange) {
    setSelected(range);
    history.replaceState(history.state, '', linesHash(range));
  }

  return (
    <div className={styles.content}>
      {view !== 'preview' && <Settled onSettled={noteShown} />}
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
          >
            <Suspense fallback={<div className={styles.goToPlace} />}>
              <GoToLines onSelect={select} />
            </Suspense>
          </CodeView>
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
            <LazyMarkdownDocument text={text} tools={tools} onReady={noteShown} />
          </Suspense>
        ))}
    </div>
  );
}

/** useSelectedLines follows the address, so that a link to lines and the back button both work. */
function useSelectedLines() {
  const [selected, setSelected] = useState<LineRange | undefined>(() => parseLines(location.hash));
  useListener('hashchange', () => setSelected(parseLines(location.hash)));
  return [selected, setSelected] as const;
}
