import { ChevronDown, ChevronUp, Search, ZoomIn, ZoomOut } from 'lucide-react';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useRef, useState, type FormEvent } from 'react';
import { useLanguage, useT } from '../../../i18n';
import { formatSize } from '../../format';
import { IconButton, Skeleton, TextField } from '../../ui';
import { Settled, type FilePreviewProps } from '../Settled';
import { LoadFailed } from '../LoadFailed';
import shared from '../preview.module.css';
import { Unshown } from '../Unshown';
import { useWhole } from '../useWhole';
import { openPdf } from './open';
export { prepare } from './open';
import styles from './pdf.module.css';
import { PdfPage } from './PdfPage';
import { textOfPage } from './textOfPage';

/** Largest document that is drawn here, in bytes. */
const longest = 100 << 20;

const destroy = (pdf: PDFDocumentProxy) => void pdf.loadingTask.destroy();

const zooms = [0.5, 0.75, 1, 1.25, 1.5, 2, 3] as const;

/** PdfPages draws a PDF for browsers without a viewer of their own. */
export default function PdfPages({ file, onSettled }: FilePreviewProps) {
  const t = useT();
  const language = useLanguage();
  const { value: opened, failed, retry } = useWhole('pdf', file, longest, openPdf, destroy);
  const tooLarge = file.size > longest;
  if (!tooLarge && !failed && !opened) return <Skeleton height={480} />;
  return (
    <>
      <Settled onSettled={onSettled} />
      {tooLarge ? (
        <Unshown file={file} text={t('viewers.pdf.tooLarge', { size: formatSize(longest, language) })} />
      ) : opened ? (
        <Pages pdf={opened} name={file.filename} />
      ) : (
        <LoadFailed file={file} text={t('viewers.pdf.failed')} onRetry={retry} />
      )}
    </>
  );
}

function Pages({ pdf, name }: { pdf: PDFDocumentProxy; name: string }) {
  const t = useT();
  const box = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState<number>(1);
  const [at, setAt] = useState(1);
  const [found, setFound] = useState<{ words: string; pages: number[]; index: number }>();
  const step = zooms.findIndex((value) => value >= zoom);

  function go(page: number) {
    setAt(page);
    box.current?.querySelector(`[data-page="${page}"]`)?.scrollIntoView({ block: 'start' });
  }

  async function search(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const words = String(new FormData(event.currentTarget).get('words') ?? '').trim();
    if (!words) return setFound(undefined);
    const pages: number[] = [];
    for (let number = 1; number <= pdf.numPages; number++)
      if ((await textOfPage(pdf, number)).includes(words.toLowerCase())) pages.push(number);
    setFound({ words, pages, index: 0 });
    if (pages[0]) go(pages[0]);
  }

  function turn(by: number) {
    if (!found || found.pages.length === 0) return;
    const index = (found.index + by + found.pages.length) % found.pages.length;
    setFound({ ...found, index });
    go(found.pages[index] ?? 1);
  }

  return (
    <>
      <div className={shared.toolbar}>
        <p className={styles.count}>{t('viewers.pdf.page', { page: at, pages: pdf.numPages })}</p>
        <IconButton label={t('viewers.pdf.previous')} disabled={at <= 1} onClick={() => go(at - 1)}>
          <ChevronUp size={20} />
        </IconButton>
        <IconButton label={t('viewers.pdf.next')} disabled={at >= pdf.numPages} onClick={() => go(at + 1)}>
          <ChevronDown size={20} />
        </IconButton>
        <IconButton
          label={t('preview.image.zoomOut')}
          disabled={step <= 0}
          onClick={() => setZoom(zooms[step - 1] ?? zoom)}
        >
          <ZoomOut size={20} />
        </IconButton>
        <IconButton
          label={t('preview.image.zoomIn')}
          disabled={step >= zooms.length - 1}
          onClick={() => setZoom(zooms[step + 1] ?? zoom)}
        >
          <ZoomIn size={20} />
        </IconButton>
        <form className={styles.search} role="search" onSubmit={(event) => void search(event)}>
          <TextField
            name="words"
            label={t('viewers.pdf.search')}
            autoComplete="off"
            enterKeyHint="search"
            after={
              <IconButton type="submit" label={t('viewers.pdf.find')}>
                <Search size={20} />
              </IconButton>
            }
          />
        </form>
      </div>
      <p className={styles.found} role="status">
        {found && t('viewers.pdf.found', { smart_count: found.pages.length })}
        {found && found.pages.length > 1 && (
          <button type="button" className={styles.more} onClick={() => turn(1)}>
            {t('viewers.pdf.nextFound')}
          </button>
        )}
      </p>
      <div ref={box} className={styles.pages} role="region" aria-label={name} tabIndex={0}>
        {Array.from({ length: pdf.numPages }, (_, index) => (
          <PdfPage
            key={index}
            pdf={pdf}
            number={index + 1}
            zoom={zoom}
            words={found?.words ?? ''}
            onSeen={() => setAt(index + 1)}
          />
        ))}
      </div>
    </>
  );
}
