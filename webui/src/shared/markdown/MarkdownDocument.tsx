import { ListTree } from 'lucide-react';
import { lazy, startTransition, Suspense, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { writeStored } from '../../config';
import { useT } from '../../i18n';
import { lazyPart } from '../lazyPart';
import { Button } from '../ui';
import styles from './document.module.css';
import type { Heading } from './headings';
import { Markdown } from './Markdown';
import { opensOutline, outlineChoice, outlineKey, outlineWidth } from './outlined';
import { Settled } from '../preview/Settled';

const Lightbox = lazyPart(
  async () => ({ default: (await import('../preview/Lightbox')).Lightbox }),
  'preview',
);
const HtmlDialog = lazyPart(
  async () => ({ default: (await import('../preview/HtmlDialog')).HtmlDialog }),
  'preview',
);

// The outline comes after the text, which can be read without it.
const beside = () => import('./beside');
const Outline = lazy(async () => ({ default: (await beside()).Outline }));
const Divider = lazy(async () => ({ default: (await beside()).Divider }));

interface MarkdownDocumentProps {
  text: string;
  /** tools takes the button of the outline, where the page has a bar of its own; null until that is there. */
  tools?: HTMLElement | null;
  /** onReady is told when the text is drawn. */
  onReady?: () => void;
}

/** MarkdownDocument shows a Markdown text to its reader: outline, large pictures, previews of HTML blocks. */
export default function MarkdownDocument({ text, tools, onReady }: MarkdownDocumentProps) {
  const t = useT();
  const [headings, setHeadings] = useState<Heading[]>([]);
  const [ready, setReady] = useState(false);
  const [choice, setChoice] = useState(outlineChoice);
  const [width, setWidth] = useState(outlineWidth);
  const [pictures, setPictures] = useState<{ all: HTMLImageElement[]; index: number }>();
  const [html, setHtml] = useState<string>();
  const frame = useRef<HTMLDivElement>(null);
  // Settled before the text is drawn, which stays in its place then.
  const open = useMemo(() => opensOutline(text, choice), [text, choice]);
  // What stands below the text would jump if it came up meanwhile.
  const place = useMemo(() => `${text.split('\n', 60).length}lh`, [text]);

  function toggle() {
    const next = open ? 'closed' : 'open';
    setChoice(next);
    writeStored(outlineKey, next);
  }

  const toggler = (
    <Button
      variant="quiet"
      icon={<ListTree size={18} />}
      title={t('markdownView.outline')}
      aria-expanded={open}
      aria-controls="pp-outline"
      onClick={toggle}
    >
      {t('markdownView.outline')}
    </Button>
  );
  return (
    <>
      {ready && <Settled onSettled={onReady} />}
      {tools === undefined ? (
        <div className={styles.tools}>{toggler}</div>
      ) : (
        tools && createPortal(toggler, tools)
      )}
      <div
        ref={frame}
        className={styles.document}
        data-outline={open || undefined}
        style={{ '--outline': `${width}%` } as React.CSSProperties}
      >
        <aside id="pp-outline" className={styles.side} hidden={!open} aria-label={t('markdownView.outline')}>
          <Suspense fallback={null}>{open && ready && <Outline headings={headings} />}</Suspense>
        </aside>
        <Suspense fallback={<div className={styles.divider} />}>
          {open && !ready && <div className={styles.divider} />}
          {open && ready && (
            <Divider label={t('markdownView.divider')} value={width} onChange={setWidth} frame={frame} />
          )}
        </Suspense>
        <article className={styles.text} style={ready ? undefined : { minHeight: place }}>
          <Markdown
            text={text}
            tickTasks
            onHeadings={(found) => {
              // The outline of a long text is drawn in pieces, between which the page answers.
              startTransition(() => {
                setHeadings(found);
                setReady(true);
              });
            }}
            onImage={(all, index) => setPictures({ all, index })}
            onHtml={setHtml}
          />
        </article>
      </div>
      <Suspense fallback={null}>
        {pictures && (
          <Lightbox
            pictures={pictures.all.map((image) => ({ src: image.currentSrc || image.src, name: image.alt }))}
            index={pictures.index}
            onIndex={(index) => setPictures({ ...pictures, index })}
            onClose={() => setPictures(undefined)}
          />
        )}
        {html !== undefined && (
          <HtmlDialog
            source={html}
            title={t('markdownView.codePreview')}
            onClose={() => setHtml(undefined)}
          />
        )}
      </Suspense>
    </>
  );
}
