import { ChevronDown, ExternalLink, QrCode } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { fileDownloadUrl } from '../../api/files';
import type { CommittedFile } from '../../api/types';
import { pageUrl } from '../../config';
import { useT } from '../../i18n';
import { copyText } from '../../shared/clipboard';
import { FileGlyph } from '../../shared/preview/FileGlyph';
import { Button, buttonClass, CopyButton, Menu, QrDialog, toast } from '../../shared/ui';
import type { UploadItem } from '../../shared/uploader';
import { formatLinks, linkFormats, type LinkFormat } from './links';
import styles from './upload.module.css';
import { uploads } from './uploads';

/** directLink is the address of a file's bytes. */
export const directLink = (slug: string) => new URL(fileDownloadUrl(slug), location.origin).href;

/** Results shows the links of what has been shared from this list. */
export function Results({ items }: { items: readonly UploadItem<CommittedFile>[] }) {
  const t = useT();
  const [qr, setQr] = useState<CommittedFile>();
  const files = items.flatMap((item) => item.result ?? []);
  if (files.length === 0) return null;

  async function copyAll(format: LinkFormat) {
    const links = files.map((file) => ({ name: file.filename, url: pageUrl(`/file/${file.slug}`) }));
    if (await copyText(formatLinks(links, format))) toast.success(t('file.results.copied'));
    else toast.warning(t('file.results.notCopied'));
  }

  return (
    <section className={styles.results} aria-labelledby="pp-upload-results">
      <header className={styles.listHead}>
        <h2 id="pp-upload-results">{t('file.results.title')}</h2>
        {files.length > 1 && (
          <Menu
            label={t('file.results.copyAll')}
            items={linkFormats.map((format) => ({
              label: t(`file.results.formats.${format}`),
              run: () => void copyAll(format),
            }))}
            button={(attributes) => (
              <Button {...attributes} icon={<ChevronDown size={18} aria-hidden="true" />}>
                {t('file.results.copyAll')}
              </Button>
            )}
          />
        )}
        <Button variant="quiet" onClick={() => items.forEach((item) => uploads.remove(item.id))}>
          {t('file.results.clear')}
        </Button>
      </header>
      <ul>
        {files.map((file) => (
          <Result key={file.id} file={file} onQr={() => setQr(file)} />
        ))}
      </ul>
      {qr && (
        <QrDialog
          link={pageUrl(`/file/${qr.slug}`)}
          fileName={`file-${qr.slug}`}
          onClose={() => setQr(undefined)}
        />
      )}
    </section>
  );
}

function Result({ file, onQr }: { file: CommittedFile; onQr: () => void }) {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  const link = pageUrl(`/file/${file.slug}`);
  return (
    <li className={styles.result}>
      <FileGlyph file={file} />
      <div className={styles.rowBody}>
        <p className={styles.rowName}>{file.filename}</p>
        <input
          ref={field}
          className={styles.link}
          readOnly
          value={link}
          aria-label={t('file.results.link', { name: file.filename })}
          onFocus={(event) => event.target.select()}
        />
        <div className={styles.resultActions}>
          <CopyButton variant="primary" text={link} label={t('file.results.copyLink')} selects={field} />
          {!file.has_password && (
            <CopyButton text={directLink(file.slug)} label={t('file.results.copyDirect')} />
          )}
          <Button icon={<QrCode size={18} aria-hidden="true" />} onClick={onQr}>
            {t('file.results.qr')}
          </Button>
          <Link href={`/file/${file.slug}`} className={buttonClass()}>
            <ExternalLink size={18} aria-hidden="true" />
            {t('file.results.open')}
          </Link>
        </div>
      </div>
    </li>
  );
}
