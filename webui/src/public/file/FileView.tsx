import { TriangleAlert } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useLocation } from 'wouter';
import { fileDownloadUrl, fileViewUrl, lendFile, readFile, unlockFile } from '../../api/files';
import type { PublicFile } from '../../api/types';
import { useLanguage, useT } from '../../i18n';
import { formatSize, remainingViews } from '../../shared/format';
import { keepPassword } from '../../shared/gate/password';
import { PageHeading } from '../../shared/page';
import { FilePreview, isTextFile, settlesLater } from '../../shared/preview';
import { FileGlyph } from '../../shared/preview/FileGlyph';
import { kindName } from '../../shared/preview/KindIcon';
import { TextBar } from '../../shared/preview/TextBar';
import { Actions } from './Actions';
import { Deleted } from './Deleted';
import { Facts } from './Facts';
import styles from './file.module.css';

interface FileViewProps {
  file: PublicFile;
  /** password that opened it; "" when it needs none. */
  password: string;
}

/** FileView is an open file: name, download, preview, facts. */
export function FileView({ file: opened, password: given }: FileViewProps) {
  const t = useT();
  const language = useLanguage();
  const [file, setFile] = useState(opened);
  const [, navigate] = useLocation();
  const [password, setPassword] = useState(given);
  const [deleted, setDeleted] = useState(false);
  // Facts come when the preview above them has its size, so that they never move.
  const [settled, setSettled] = useState(!settlesLater(opened));
  const onSettled = useCallback(() => setSettled(true), []);
  const left = remainingViews(file.max_views, file.views);
  // A text has its tools in one bar with what can be done with the file, as shared texts have.
  const isText = isTextFile(opened);
  const [forms, setForms] = useState<HTMLElement | null>(null);
  const [copy, setCopy] = useState<HTMLElement | null>(null);

  /** Asks for fresh addresses; it takes a view. */
  const refresh = () => (password ? unlockFile(file.slug, password) : readFile(file.slug));

  function changed(change: Partial<PublicFile>, newPassword: string | undefined) {
    const next = { ...file, ...change };
    setFile(next);
    if (newPassword !== undefined) setPassword(newPassword);
    keepPassword(`file/${next.slug}`, newPassword ?? password);
    if (next.slug !== file.slug) navigate(`/file/${next.slug}`, { replace: true });
  }

  if (deleted) return <Deleted />;
  const actions = (
    <Actions
      file={file}
      copyRef={isText ? setCopy : undefined}
      hasPassword={password !== ''}
      onChanged={changed}
      refresh={refresh}
      onFresh={setFile}
      onDeleted={() => setDeleted(true)}
    />
  );
  return (
    <div className={styles.page} data-text={isText || undefined}>
      <header className={styles.head}>
        <div className={styles.title}>
          {!isText && <FileGlyph file={file} />}
          <div>
            <PageHeading>{file.filename}</PageHeading>
            <p className={styles.meta}>
              {formatSize(file.size, language)}
              <span title={file.mimetype}> · {kindName(file, t)}</span>
            </p>
          </div>
        </div>
        {!isText && actions}
        {file.remark && <p dir="auto">{file.remark}</p>}
        {(file.isLastView || (left ?? 3) < 3) && (
          <p className={styles.warning}>
            <TriangleAlert size={18} />
            {left && !file.isLastView ? t('fileView.fewLeft', left) : t('fileView.lastView')}
          </p>
        )}
      </header>
      {isText && (
        <TextBar stays formsRef={setForms}>
          {actions}
        </TextBar>
      )}
      <section aria-label={t('fileView.preview')}>
        <FilePreview
          bar={isText ? { forms, copy } : undefined}
          onSettled={onSettled}
          // The addresses the preview began with stay good for it; fresh ones are for the next download.
          file={{
            filename: opened.filename,
            mimetype: opened.mimetype,
            type: opened.type,
            size: opened.size,
            offered: true,
            viewUrl: opened.previewUrl || opened.proxy_preview_url || fileViewUrl(opened.slug),
            readUrl: opened.proxy_preview_url || opened.previewUrl || fileViewUrl(opened.slug),
            downloadUrl: opened.downloadUrl || opened.proxy_download_url || fileDownloadUrl(opened.slug),
            lend: (signal) => lendFile(opened.slug, ticketOf(opened), signal),
          }}
        />
      </section>
      {settled && <Facts file={file} />}
    </div>
  );
}

/** ticketOf is the proof of this visit, which every address of this server carries. */
function ticketOf({ proxy_preview_url: address }: PublicFile): string {
  return new URL(address ?? '', location.href).searchParams.get('ticket') ?? '';
}
