import { ChevronDown, ExternalLink, Files, Pencil, QrCode } from 'lucide-react';
import { Suspense, useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import { fileDownloadUrl } from '../../api/files';
import type { Collection, FileRow } from '../../api/types';
import { pageUrl } from '../../config';
import { useT } from '../../i18n';
import { copyText } from '../../shared/clipboard';
import { lazyPart } from '../../shared/lazyPart';
import { FileGlyph } from '../../shared/preview/FileGlyph';
import { Button, buttonClass, CopyButton, Menu, QrDialog, toast } from '../../shared/ui';
import { Joined } from './Joined';
import { formatLinks, linkFormats, type LinkFormat } from './links';
import rows from '../../shared/uploader/row.module.css';
import styles from './upload.module.css';

const EditFile = lazyPart(() => import('../../shared/shareform/EditFile'), 'shareEdit', 'share');

/** directLink is the address of a file's bytes. */
export const directLink = (slug: string) => new URL(fileDownloadUrl(slug), location.origin).href;

interface ResultsProps {
  files: readonly FileRow[];
  /** joined are the links that were made for several files. */
  joined?: readonly Collection[];
  /** onJoin makes one link for all files; absent where there is none to be made. */
  onJoin?: () => void;
  /** onChanged is told what a file has become after its owner edited it. */
  onChanged: (file: FileRow) => void;
  onClear: () => void;
}

/** Results shows a card with the links of each file that was shared. */
export function Results({ files, joined = [], onJoin, onChanged, onClear }: ResultsProps) {
  const t = useT();
  const heading = useId();
  const [qr, setQr] = useState<FileRow>();
  const [editing, setEditing] = useState<FileRow>();
  if (files.length + joined.length === 0) return null;

  async function copyAll(format: LinkFormat) {
    const links = files.map((file) => ({ name: file.filename, url: pageUrl(`/file/${file.slug}`) }));
    if (await copyText(formatLinks(links, format))) toast.success(t('file.results.copied'));
    else toast.warning(t('file.results.notCopied'));
  }

  return (
    <section className={styles.results} aria-labelledby={heading}>
      <header className={styles.listHead}>
        <h2 id={heading}>{t('file.results.title')}</h2>
        {onJoin && files.length > 1 && (
          <Button icon={<Files size={18} />} onClick={onJoin}>
            {t('file.results.join')}
          </Button>
        )}
        {files.length > 1 && (
          <Menu
            label={t('file.results.copyAll')}
            items={linkFormats.map((format) => ({
              label: t(`file.results.formats.${format}`),
              run: () => void copyAll(format),
            }))}
            button={(attributes) => (
              <Button {...attributes} icon={<ChevronDown size={18} />}>
                {t('file.results.copyAll')}
              </Button>
            )}
          />
        )}
        <Button variant="quiet" onClick={onClear}>
          {t('file.results.clear')}
        </Button>
      </header>
      <ul>
        {joined.map((collection) => (
          <Joined key={collection.id} collection={collection} />
        ))}
        {files.map((file) => (
          <Result key={file.id} file={file} onQr={() => setQr(file)} onEdit={() => setEditing(file)} />
        ))}
      </ul>
      {qr && (
        <QrDialog
          link={pageUrl(`/file/${qr.slug}`)}
          fileName={`file-${qr.slug}`}
          onClose={() => setQr(undefined)}
        />
      )}
      {editing && (
        <Suspense fallback={null}>
          <EditFile
            file={editing}
            hasPassword={editing.has_password}
            onClose={() => setEditing(undefined)}
            onSaved={(change, password) => {
              setEditing(undefined);
              const protectedNow = password === undefined ? editing.has_password : password !== '';
              onChanged({ ...editing, ...change, has_password: protectedNow });
            }}
          />
        </Suspense>
      )}
    </section>
  );
}

interface ResultProps {
  file: FileRow;
  onQr: () => void;
  onEdit: () => void;
}

function Result({ file, onQr, onEdit }: ResultProps) {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  const link = pageUrl(`/file/${file.slug}`);
  return (
    <li className={styles.result}>
      <FileGlyph file={file} />
      <div className={`${rows.rowBody} ${styles.resultBody}`}>
        <p className={rows.rowName} dir="auto">
          {file.filename}
        </p>
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
          <Button icon={<QrCode size={18} />} onClick={onQr}>
            {t('file.results.qr')}
          </Button>
          <Link href={`/file/${file.slug}`} className={buttonClass()}>
            <ExternalLink size={18} />
            {t('file.results.open')}
          </Link>
          <Button icon={<Pencil size={18} />} onClick={onEdit}>
            {t('file.results.edit')}
          </Button>
        </div>
      </div>
    </li>
  );
}
