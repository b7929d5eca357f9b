import { Download, FileDown, TriangleAlert, X } from 'lucide-react';
import { useState } from 'react';
import type { CollectionItem, PublicCollection } from '../../api/types';
import { useLanguage, useT } from '../../i18n';
import { formatSize, remainingViews } from '../../shared/format';
import { useDownload } from '../../shared/gate/useDownload';
import { PageHeading } from '../../shared/page';
import { FilePreview } from '../../shared/preview';
import { FileGlyph } from '../../shared/preview/FileGlyph';
import { buttonClass, IconButton } from '../../shared/ui';
import styles from './collection.module.css';

/** isReadme reports whether a file tells about the others. */
const isReadme = ({ filename }: CollectionItem) => /^readme\.(md|markdown)$/i.test(filename);

interface CollectionViewProps {
  collection: PublicCollection;
  /** refresh opens it again, when the addresses of its items have run out. */
  refresh: () => Promise<PublicCollection>;
}

/** CollectionView is an open collection: its files, and one of them shown below; at first a README. */
export function CollectionView({ collection: first, refresh }: CollectionViewProps) {
  const t = useT();
  const language = useLanguage();
  const [collection, setCollection] = useState(first);
  const { items } = collection;
  const [shown, setShown] = useState(items.find(isReadme));
  const download = useDownload(Boolean(collection.max_views));

  /** renew answers where a file is found now. */
  async function renew({ id }: CollectionItem): Promise<string> {
    const next = await refresh();
    setCollection(next);
    const item = next.items.find((one) => one.id === id);
    if (!item) throw new Error('the file has gone');
    return item.downloadUrl;
  }
  /** renewAll is renew for the ZIP file. */
  async function renewAll(): Promise<string> {
    const next = await refresh();
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
        <p className={styles.meta}>
          {t('collection.facts', { files: t('collection.files', items.length), size })}
        </p>
        {(collection.isLastView || (left ?? 3) < 3) && (
          <p className={styles.warning}>
            <TriangleAlert size={18} aria-hidden="true" />
            {left && !collection.isLastView ? t('collection.fewLeft', left) : t('collection.lastView')}
          </p>
        )}
        {collection.archiveUrl && items[0] && items.length > 1 && (
          <a
            className={`${buttonClass()} ${styles.all}`}
            href={collection.archiveUrl}
            download
            onClick={download({
              name: '',
              probe: items[0].downloadUrl,
              renew: renewAll,
            })}
          >
            <FileDown size={18} aria-hidden="true" />
            {t('collection.downloadAll')}
          </a>
        )}
      </header>
      {items.length === 0 && <p className={styles.meta}>{t('collection.empty')}</p>}
      {items.length > 0 && (
        <ul className={styles.items} aria-label={t('collection.items')}>
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
