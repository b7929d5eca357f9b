import { ExternalLink, FilePlus2, FileText, FolderOpen, Upload } from 'lucide-react';
import { useRef, useState, type FormEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError } from '../../../api/client';
import {
  arrangeCollection,
  readOwnCollection,
  removeItems,
  updateCollection,
} from '../../../api/collections';
import { errorText } from '../../../api/errorText';
import type { Tagged } from '../../../api/tagged';
import type { Collection, CollectionChange } from '../../../api/types';
import { useT } from '../../../i18n';
import { downloadsWrong, SeveralFields, type Several } from '../../../shared/several';
import { slugProblem, useTerms } from '../../../shared/shareform/useTerms';
import { TermsForm } from '../../../shared/shareform/TermsForm';
import { Button, buttonClass, confirm, toast } from '../../../shared/ui';
import { FilePicker } from '../../../shared/uploader/FilePicker';
import { usePageDrops } from '../../../shared/uploader/usePageDrops';
import { UploadRow } from '../../../shared/uploader/UploadRow';
import { listedAt, uploads } from '../../../shared/uploader/uploads';
import { useLeaveGuard } from '../../../shared/useLeaveGuard';
import { useStore } from '../../../store';
import { FilesDialog } from './FilesDialog';
import { ItemRows } from './ItemRows';
import { isArranged, isReadme, missing, withFirst, withMore, type Row } from './rows';
import { send } from './sending';
import { TextDialog } from './TextDialog';
import styles from './edit.module.css';

interface EditorProps {
  collection: Collection;
  /** tag says which version of it this is. */
  tag: string;
  /** onSaved is given what it has become. */
  onSaved: (now: Tagged<Collection>) => void;
  /** onReload shows it as it is now, without what was typed. */
  onReload: () => void;
}

/** Editor changes a collection as a whole: nothing is done before it is saved, but for uploads, which arrive as files. */
export function Editor({ collection, tag, onSaved, onReload }: EditorProps) {
  const t = useT();
  const [, go] = useLocation();
  const [rows, setRows] = useState<readonly Row[]>(collection.items);
  const [asking, setAsking] = useState<'files' | 'text'>();
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState('');
  const [stale, setStale] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const terms = useTerms({
    slug: collection.slug,
    remark: collection.title,
    expiresAt: collection.expires_at,
    maxViews: collection.max_views ?? 0,
    hasPassword: collection.has_password,
  });
  const coming = listedAt('share', useStore(uploads).items).filter(({ status }) => status !== 'success');
  const isFolder = collection.folder !== undefined;
  const [several, setSeveral] = useState<Several>({
    downloads: String(collection.max_downloads ?? 0),
    look: collection.look ?? '',
  });
  const isLimitNew = Number(several.downloads) !== (collection.max_downloads ?? 0);
  const isLookNew = several.look !== (collection.look ?? '');
  const dirty = terms.dirty || isLimitNew || isLookNew || isArranged(collection, rows);
  useLeaveGuard(dirty && !saving, () =>
    confirm({
      title: t('shareEdit.discard.title'),
      body: t('shareEdit.discard.body'),
      confirmLabel: t('shareEdit.discard.confirm'),
      danger: true,
    }),
  );

  /** take sends files and makes items of those that arrive. */
  async function take(files: readonly File[], first = false) {
    try {
      const arrived = await send(files, t);
      setRows((before) => (first && arrived[0] ? withFirst(before, arrived[0]) : withMore(before, arrived)));
    } catch (error) {
      toast.error(errorText(error, t));
    }
  }
  const over = usePageDrops((chosen) => void take(chosen.map(({ file }) => file)), !isFolder && !asking);

  async function save(event?: FormEvent, seen = tag) {
    event?.preventDefault();
    if (saving || !terms.check()) return;
    if (downloadsWrong(several)) {
      terms.lead();
      return;
    }
    const gone = missing(collection, rows);
    if (gone.length > 0) {
      const sure = await confirm({
        title: t('collectionEdit.deleteTitle', gone.length),
        body: t('collectionEdit.deleteBody'),
        confirmLabel: t('common.delete'),
        danger: true,
      });
      if (!sure) return;
    }
    setSaving(true);
    setProblem('');
    setStale(false);
    try {
      const now = await saved(gone, seen);
      toast.success(t('shareEdit.saved'));
      onSaved(now);
      if (now.value.slug !== collection.slug) go(`/collection/${now.value.slug}?edit`, { replace: true });
    } catch (error) {
      const wrong = slugProblem(error);
      if (wrong) terms.refuse('slug', wrong);
      else if (error instanceof ApiError && error.status === 412) setStale(true);
      else setProblem(errorText(error, t));
    } finally {
      setSaving(false);
    }
  }

  /** saved does what is to be done, the link first: that is where something can be wrong. */
  async function saved(gone: string[], seen: string): Promise<Tagged<Collection>> {
    const changes = terms.changes();
    const body: CollectionChange = {
      ...(changes.slug !== undefined && { slug: changes.slug }),
      ...(changes.remark !== undefined && { title: changes.remark }),
      ...(changes.expiresAt !== undefined && { expires_at: changes.expiresAt?.toISOString() ?? null }),
      ...(changes.maxViews !== undefined && { max_views: changes.maxViews }),
      ...(changes.password !== undefined && { password: changes.password }),
      ...(isLimitNew && { max_downloads: Number(several.downloads) }),
      ...(isLookNew && { look: several.look }),
    };
    let now: Tagged<Collection> = { value: collection, tag: seen };
    if (Object.keys(body).length > 0) now = await updateCollection(collection.id, body, now.tag);
    if (!isArranged(collection, rows)) return now;
    const named = rows.map(({ id, filename }) => ({ id, filename: filename.trim() }));
    now = await arrangeCollection(collection.id, named, now.tag);
    for (let at = 0; at < gone.length; at += 100) {
      const { failed } = await removeItems(collection.id, gone.slice(at, at + 100));
      if (failed[0]) toast.error(failed[0].error);
    }
    return gone.length > 0 ? readOwnCollection(collection.id) : now;
  }

  async function saveMine() {
    try {
      await save(undefined, (await readOwnCollection(collection.id)).tag);
    } catch (error) {
      setProblem(errorText(error, t));
    }
  }

  return (
    <>
      <form className={styles.form} onSubmit={(event) => void save(event)} noValidate>
        <section className={styles.part} aria-label={t('shareEdit.heading')}>
          <TermsForm {...terms.form} withSlug>
            <SeveralFields
              several={several}
              used={
                collection.max_downloads
                  ? { count: collection.downloads ?? 0, of: collection.max_downloads }
                  : undefined
              }
              onChange={(change) => setSeveral({ ...several, ...change })}
            />
          </TermsForm>
        </section>
        {isFolder ? (
          <p className={styles.hint}>
            {t(
              `collectionEdit.shows.${collection.paths ? 'picks' : 'folder'}${collection.as_it_stood ? 'Stood' : ''}`,
              {
                path: collection.folder,
              },
            )}
          </p>
        ) : (
          <section
            className={styles.part}
            data-over={over || undefined}
            aria-labelledby="pp-collection-items"
          >
            <h2 id="pp-collection-items">{t('collectionEdit.items', rows.length)}</h2>
            <div className={styles.adding}>
              <Button icon={<Upload size={18} />} onClick={() => input.current?.click()}>
                {t('collectionEdit.upload')}
              </Button>
              <Button icon={<FilePlus2 size={18} />} onClick={() => setAsking('files')}>
                {t('collectionEdit.own')}
              </Button>
              <Button icon={<FileText size={18} />} onClick={() => setAsking('text')}>
                {t(rows.some(isReadme) ? 'collectionEdit.newText' : 'collectionEdit.text')}
              </Button>
              <FilePicker
                ref={input}
                data-testid="more-files"
                onFiles={(chosen) => void take(chosen.map(({ file }) => file))}
              />
            </div>
            {rows.length === 0 && coming.length === 0 && (
              <p className={styles.hint}>
                <FolderOpen size={18} /> {t('collectionEdit.none')}
              </p>
            )}
            <ItemRows rows={rows} onChange={setRows} />
            {coming.length > 0 && (
              <ul className={styles.coming}>
                {coming.map((item) => (
                  <UploadRow key={item.id} item={item} onRetry={() => uploads.retry(item.id)} />
                ))}
              </ul>
            )}
          </section>
        )}
        {stale && (
          <div className={styles.stale} role="alert">
            <p>{t('collectionEdit.stale')}</p>
            <Button onClick={onReload}>{t('collectionEdit.theirs')}</Button>
            <Button onClick={() => void saveMine()}>{t('collectionEdit.mine')}</Button>
          </div>
        )}
        {problem && (
          <p className={styles.problem} role="alert">
            {problem}
          </p>
        )}
        <div className={styles.ending}>
          <Button
            variant="primary"
            type="submit"
            busy={saving}
            disabled={!dirty || rows.some(({ filename }) => !filename.trim())}
          >
            {t('shareEdit.save')}
          </Button>
          <Link href={`/collection/${collection.slug}`} className={buttonClass()}>
            <ExternalLink size={18} />
            {t('collectionEdit.open')}
          </Link>
        </div>
      </form>
      {asking === 'files' && (
        <FilesDialog
          rows={rows}
          onChosen={(files) => setRows((before) => withMore(before, files))}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking === 'text' && (
        <TextDialog
          replaces={rows.some(isReadme)}
          onText={(file) => void take([file], true)}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  );
}
