import { TextLayer, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useInSight } from '../../../hooks/useObserved';
import { useT } from '../../../i18n';
import styles from './pdf.module.css';

interface PdfPageProps {
  pdf: PDFDocumentProxy;
  number: number;
  zoom: number;
  /** words that are looked for; "" for none. */
  words: string;
  /** onSeen is told when the page comes to the middle of the window. */
  onSeen: () => void;
}

/** Width over height of a page that has not been read yet: A4. */
const usual = 1 / Math.SQRT2;

/** PdfPage draws one page once it comes near the window, with its text above it to select. */
export function PdfPage({ pdf, number, zoom, words, onSeen }: PdfPageProps) {
  const t = useT();
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const [page, setPage] = useState<PDFPageProxy>();
  const [drawn, setDrawn] = useState(0);
  const near = useInSight('1200px', (inSight) => {
    if (inSight && !page) void pdf.getPage(number).then(setPage);
  });
  const middle = useInSight('-50% 0px -50% 0px', (inSight) => {
    if (inSight) onSeen();
  });
  const watch = useCallback(
    (element: HTMLDivElement | null) => {
      box.current = element;
      const ends = [near(element), middle(element)];
      return () => ends.forEach((end) => end?.());
    },
    [near, middle],
  );

  useEffect(() => {
    const [element, sheet, layer] = [box.current, canvas.current, text.current];
    if (!page || !element || !sheet || !layer) return;
    const width = element.clientWidth;
    const scale = width / page.getViewport({ scale: 1 }).width;
    const density = Math.min(devicePixelRatio, 2);
    const fine = page.getViewport({ scale: scale * density });
    sheet.width = Math.floor(fine.width);
    sheet.height = Math.floor(fine.height);
    const task = page.render({ canvas: sheet, viewport: fine });
    task.promise.catch(() => undefined);
    element.style.setProperty('--total-scale-factor', String(scale));
    layer.replaceChildren();
    const letters = new TextLayer({
      textContentSource: page.streamTextContent(),
      container: layer,
      viewport: page.getViewport({ scale }),
    });
    letters.render().then(
      () => setDrawn((count) => count + 1),
      () => undefined,
    );
    return () => {
      task.cancel();
      letters.cancel();
    };
  }, [page, zoom]);

  useEffect(() => {
    for (const run of text.current?.querySelectorAll('span') ?? []) {
      const hit = words !== '' && run.textContent.toLowerCase().includes(words.toLowerCase());
      run.toggleAttribute('data-hit', hit);
    }
  }, [words, drawn]);

  const size = page?.getViewport({ scale: 1 });
  return (
    <div
      ref={watch}
      className={styles.page}
      data-page={number}
      role="group"
      aria-label={t('viewers.pdf.number', { page: number })}
      style={{ width: `${zoom * 100}%`, aspectRatio: size ? size.width / size.height : usual }}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <div ref={text} className={styles.text} />
    </div>
  );
}
