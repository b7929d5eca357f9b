import { ListTree } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { readStored, writeStored } from '../../config';
import { useT } from '../../i18n';
import { Button } from '../ui';
import styles from './document.module.css';
import type { Heading } from './headings';
import { Markdown } from './Markdown';
import { Outline } from './Outline';
import { Divider } from './Divider';

const Lightbox = lazy(() => import('../preview/Lightbox').then((module) => ({ default: module.Lightbox })));
const HtmlDialog = lazy(() =>
  import('../preview/HtmlDialog').then((module) => ({ default: module.HtmlDialog })),
);

const outlineKey = 'pp.outline';
const widthKey = 'pp.outlineWidth';

/** An outline is open at first from so many headings on. */
const worthAnOutline = 3;

interface MarkdownDocumentProps {
  text: string;
}

/** MarkdownDocument shows a Markdown text to its reader: outline, large pictures, previews of HTML blocks. */
export default function MarkdownDocument({ text }: MarkdownDocumentProps) {
  const t = useT();
  const [headings, setHeadings] = useState<Heading[]>([]);
  const [ready, setReady] = useState(false);
  const [choice, setChoice] = useState(() => readStored(outlineKey));
  const [width, setWidth] = useState(() => clampWidth(Number(readStored(widthKey)) || 25));
  const [pictures, setPictures] = useState<{ all: HTMLImageElement[]; index: number }>();
  const [html, setHtml] = useState<string>();
  const frame = useRef<HTMLDivElement>(null);
  const open = choice === 'open' || (choice === '' && headings.length >= worthAnOutline);

  function toggle() {
    const next = open ? 'closed' : 'open';
    setChoice(next);
    writeStored(outlineKey, next);
  }

  function resize(next: number) {
    setWidth(clampWidth(next));
    writeStored(widthKey, String(clampWidth(next)));
  }

  return (
    <>
      <div className={styles.tools}>
        <Button
          variant="quiet"
          icon={<ListTree size={18} aria-hidden="true" />}
          aria-expanded={open}
          aria-controls="pp-outline"
          onClick={toggle}
        >
          {t('markdownView.outline')}
        </Button>
      </div>
      <div
        ref={frame}
        className={styles.document}
        data-outline={open || undefined}
        style={{ '--outline': `${width}%` } as React.CSSProperties}
      >
        <aside id="pp-outline" className={styles.side} hidden={!open} aria-label={t('markdownView.outline')}>
          {ready && <Outline headings={headings} />}
        </aside>
        {open && <Divider label={t('markdownView.divider')} value={width} onChange={resize} frame={frame} />}
        <article className={styles.text}>
          <Markdown
            text={text}
            tickTasks
            onHeadings={(found) => {
              setHeadings(found);
              setReady(true);
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

const clampWidth = (percent: number) => Math.min(50, Math.max(10, Math.round(percent)));
