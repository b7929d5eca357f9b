import { useEffect, useRef } from 'react';
import type { CommittedFile } from '../../api/types';
import { useLanguage, useT } from '../../i18n';
import { parseTime } from '../../shared/format';
import { limitsText } from '../../shared/shareform';
import { ShareLink } from '../../shared/shareform/ShareLink';
import type { Telling } from '../../shared/shareform/TellMe';
import { Button } from '../../shared/ui';
import { UploadRow } from '../../shared/uploader/UploadRow';
import { listedAt, shareOf, uploads } from '../../shared/uploader/uploads';
import { useStore } from '../../store';
import styles from './files.module.css';
import { saving } from './tray';

/** Files are those that were put into the field: what waits, what is on its way, and the links of what has arrived. */
export default function Files() {
  const t = useT();
  const { items } = useStore(uploads);
  const unsaved = useStore(saving);
  const listed = listedAt('share', items);
  const open = listed.filter(({ status }) => status !== 'success');
  const done = listed.flatMap((item) => {
    const file = shareOf(item);
    return file ? [{ id: item.id, file, link: item.link ?? { password: '', tell: false } }] : [];
  });
  const list = useRef<HTMLUListElement>(null);
  const failed = open.flatMap(({ id, status }) => (status === 'error' ? [id] : []));
  const known = useRef<number[]>([]);
  // Whoever has pressed the button below sees what has become of it; one that goes leads nobody anywhere.
  useEffect(() => {
    if (failed.some((id) => !known.current.includes(id))) list.current?.scrollIntoView({ block: 'nearest' });
    known.current = failed;
  });
  if (open.length + done.length === 0) return null;
  return (
    <section className={styles.files} aria-label={t('homeMore.files.label')}>
      {done.map(({ id, file, link }, at) => (
        <Done
          key={id}
          file={file}
          password={link.password}
          telling={{
            id: file.id,
            now: link.tell,
            saving: unsaved.includes(id),
            onChange: (tell) => uploads.ask(id, { ...link, tell }),
          }}
          first={at === done.length - 1}
          onClose={() => uploads.remove(id)}
        />
      ))}
      {open.length > 0 && (
        <ul ref={list} className={styles.list}>
          {open.map((item) => (
            <UploadRow key={item.id} item={item} onRetry={() => uploads.retry(item.id)} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface DoneProps {
  file: CommittedFile;
  password: string;
  telling: Telling;
  /** first takes the focus: the file that arrived last. */
  first: boolean;
  onClose: () => void;
}

/** Done is the link of a file that has arrived. */
function Done({ file, password, telling, first, onClose }: DoneProps) {
  const t = useT();
  const language = useLanguage();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!first) return;
    field.current?.focus({ preventScroll: true });
    field.current?.select();
    field.current?.closest('section')?.scrollIntoView({ block: 'nearest' });
  }, [first]);
  return (
    <div className={styles.done}>
      <h2 dir="auto">{file.filename}</h2>
      <ShareLink
        path={`/file/${file.slug}`}
        limits={limitsText(
          {
            maxViews: file.max_views ?? 0,
            expiresAt: file.expires_at ? parseTime(file.expires_at) : null,
            hasPassword: file.has_password,
          },
          t,
          language,
        )}
        password={password}
        copied={false}
        field={field}
        telling={telling}
      >
        <Button variant="quiet" onClick={onClose}>
          {t('shareBox.close')}
        </Button>
      </ShareLink>
    </div>
  );
}
