import {
  ChevronRight,
  Download,
  FileDown,
  Folder as FolderIcon,
  Pencil,
  TriangleAlert,
  X,
} from 'lucide-react';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import type { Shown } from '../../api/collections';
import { errorText } from '../../api/errorText';
import type { CollectionItem, PublicCollection } from '../../api/types';
import { permissions } from '../../auth/permissions';
import { useSession } from '../../auth/session';
import { useLanguage, useT } from '../../i18n';
import { formatSize, remainingViews } from '../../shared/format';
import { useDownload } from '../../shared/gate/useDownload';
import { PageHeading } from '../../shared/page';
import { FilePreview } from '../../shared/preview';
import { FileGlyph } from '../../shared/preview/FileGlyph';
import { Button, buttonClass, IconButton, toast } from '../../shared/ui';
import { isReadme } from './edit/rows';
import styles from './collection.module.css';

interface CollectionViewProps {
  collection: PublicCollection;
  /** refresh opens it again, when the addresses of its items have run out. */
  refresh: (part: Shown) => Promise<PublicCollection>;
  /** look shows another part of a shared folder within the same visit. */
  look: (part: Shown) => Promise<PublicCollection>;
}

/** CollectionView is an open collection: its files, and one of them shown below; at first a README. */
export function CollectionView({ collection: first, refresh, look }: CollectionViewProps) {
  const t = useT();
  const language = useLanguage();
  const [collection, setCollection] = useState(first);
  const { items } = collection;
  const [shown, setShown] = useState(items.find(isReadme));
  const session = useSession();
  const mayChange = session.can(permissions.FILE_SHARE) && session.owns(collection.created_by);
  const download = useDownload(Boolean(collection.max_views));
  const [busy, setBusy] = useState(false);
  const way = collection.way ?? [];
  const folders = collection.folders ?? [];
  const here = way.at(-1)?.id;
  const loaded = items.length + folders.length;

  /** go shows another folder, or, from an offset on, more of this one. */
  async function go(folder: string | undefined, offset = 0) {
    setBusy(true);
    try {
      const next = await look({ folder, offset, ticket: collection.ticket });
      setCollection(
        offset > 0
          ? {
              ...next,
              folders: [...folders, ...(next.folders ?? [])],
              items: [...items, ...next.items],
            }
          : next,
      );
      if (offset === 0) setShown(next.items.find(isReadme));
    } catch (error) {
      toast.error(errorText(error, t));
    } finally {
      setBusy(false);
    }
  }

  /** renew answers where a file is found now. */
  async function renew({ id }: CollectionItem): Promise<string> {
    const next = await refresh({ folder: here });
    setCollection(next);
    const item = next.items.find((one) => one.id === id);
    if (!item) throw new Error('the file has gone');
    return item.downloadUrl;
  }
  /** renewAll is renew for the ZIP file. */
  async function renewAll(): Promise<string> {
    const next = await refresh({ folder: here });
    setCollection(next);
    if (!next.archiveUrl) throw new Error('the files have gone');
    return next.archiveUrl;
  }
  const left = remainingViews(collection.max_views, collection.views);
  const size = formatSize(
    items.reduce((sum, item) => sum + item.size, 0),
    language,
  );

  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <PageHeading>{collection.title || t('collection.place')}</PageHeading>
        {mayChange && (
          <Link className={`${buttonClass()} ${styles.all}`} href={`/collection/${collection.slug}?edit`}>
            <Pencil size={18} aria-hidden="true" />
            {t('collection.edit')}
          </Link>
        )}
        <p className={styles.meta}>
          {collection.live
            ? t('collection.entries', collection.total ?? 0)
            : t('collection.facts', { files: t('collection.files', items.length), size })}
        </p>
        {(collection.isLastView || (left ?? 3) < 3) && (
          <p className={styles.warning}>
            <TriangleAlert size={18} aria-hidden="true" />
            {left && !collection.isLastView ? t('collection.fewLeft', left) : t('collection.lastView')}
          </p>
        )}
        {collection.archiveUrl && (collection.live || items.length > 1) && (
          <a
            className={`${buttonClass()} ${styles.all}`}
            href={collection.archiveUrl}
            download
            onClick={download({
              name: '',
              probe: items[0]?.downloadUrl ?? collection.archiveUrl,
              renew: renewAll,
            })}
          >
            <FileDown size={18} aria-hidden="true" />
            {t('collection.downloadAll')}
          </a>
        )}
      </header>
      {way.length > 0 && (
        <nav className={styles.way} aria-label={t('collection.way')}>
          <Button variant="quiet" disabled={busy} onClick={() => void go(undefined)}>
            {collection.title || t('collection.place')}
          </Button>
          {way.map(({ id, name }, at) => (
            <Fragment key={id}>
              <ChevronRight size={16} aria-hidden="true" />
              {at < way.length - 1 ? (
                <Button variant="quiet" disabled={busy} onClick={() => void go(id)}>
                  {name}
                </Button>
              ) : (
                <span aria-current="location">{name}</span>
              )}
            </Fragment>
          ))}
        </nav>
      )}
      {loaded === 0 && <p className={styles.meta}>{t('collection.empty')}</p>}
      {loaded > 0 && (
        <ul className={styles.items} aria-label={t('collection.items')} aria-busy={busy}>
          {folders.map(({ id, name }) => (
            <li key={id}>
              <button type="button" className={styles.open} disabled={busy} onClick={() => void go(id)}>
                <FolderIcon size={24} aria-hidden="true" />
                <span className={styles.name}>{name}</span>
              </button>
            </li>
          ))}
          {items.map((item) => (
            <li key={item.id} data-shown={item.id === shown?.id || undefined}>
              <button
                type="button"
                className={styles.open}
                aria-expanded={item.id === shown?.id}
                onClick={() => setShown(item.id === shown?.id ? undefined : item)}
              >
                <FileGlyph file={item} />
                <span>
                  <span className={styles.name}>{item.filename}</span>
                  <span className={styles.meta}>{formatSize(item.size, language)}</span>
                </span>
              </button>
              <a
                className={styles.download}
                href={item.downloadUrl}
                download={item.filename}
                onClick={download({
                  name: item.filename,
                  probe: item.downloadUrl,
                  renew: () => renew(item),
                })}
                aria-label={t('collection.download', { name: item.filename })}
              >
                <Download size={18} aria-hidden="true" />
              </a>
            </li>
          ))}
        </ul>
      )}
      {loaded < (collection.total ?? 0) && (
        <Button className={styles.all} busy={busy} onClick={() => void go(here, loaded)}>
          {t('collection.more', (collection.total ?? 0) - loaded)}
        </Button>
      )}
      {shown && (
        <section className={styles.shown} aria-label={t('collection.preview', { name: shown.filename })}>
          <div className={styles.shownHead}>
            <h2>{shown.filename}</h2>
            <IconButton label={t('collection.close')} onClick={() => setShown(undefined)}>
              <X size={18} aria-hidden="true" />
            </IconButton>
          </div>
          <FilePreview
            key={shown.id}
            file={{
              filename: shown.filename,
              mimetype: shown.mimetype,
              type: shown.type,
              size: shown.size,
              viewUrl: shown.previewUrl,
              readUrl: shown.previewUrl,
              downloadUrl: shown.downloadUrl,
            }}
          />
        </section>
      )}
    </div>
  );
}
