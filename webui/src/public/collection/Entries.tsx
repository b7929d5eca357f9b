import { Download, Folder as FolderIcon } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { itemPictureUrl } from '../../api/collections';
import type { CollectionItem, SharedFolder } from '../../api/types';
import { useWidth } from '../../hooks/useWidth';
import { useWindow } from '../../hooks/useWindow';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { FileGlyph } from '../../shared/preview/FileGlyph';
import { extensionOf } from '../../shared/preview/kind';
import styles from './collection.module.css';
import type { Look } from './taste';

/** How wide a tile is at least and how high a line is, in px; that of the gallery until its width is known. */
const shapes = {
  list: { width: Infinity, height: 72 },
  grid: { width: 160, height: 196 },
  gallery: { width: 240, height: 252 },
};

interface EntriesProps {
  label: string;
  look: Look;
  folders: readonly SharedFolder[];
  items: readonly CollectionItem[];
  busy: boolean;
  /** shown is the file that is shown on the page. */
  shown: CollectionItem | undefined;
  picture: (item: CollectionItem) => string;
  onFolder: (id: string) => void;
  onOpen: (item: CollectionItem) => void;
  mayDownload: (item: CollectionItem) => boolean;
  onDownload: (item: CollectionItem) => React.MouseEventHandler<HTMLAnchorElement>;
}

/** Entries are the folders and files of a collection, in lines of which those near the window are drawn. */
export function Entries(props: EntriesProps) {
  const { label, look, folders, items, busy, shown, picture, onFolder, onOpen, mayDownload, onDownload } =
    props;
  const t = useT();
  const language = useLanguage();
  const list = useRef<HTMLUListElement>(null);
  const width = useWidth(list);
  const shape = shapes[look];
  const count = folders.length + items.length;
  const columns = look === 'list' ? 1 : Math.max(2, Math.floor(width / shape.width));
  const lines = Math.ceil(count / columns);
  // Pictures stand in squares, however many find room beside each other.
  const height = look === 'gallery' && width > 0 ? Math.round(width / columns) : shape.height;
  const near = useWindow(list, lines, height);

  const at = (index: number, id: string, isShown: boolean, children: ReactNode) => (
    <li
      key={id}
      aria-setsize={count}
      aria-posinset={index + 1}
      data-shown={isShown || undefined}
      style={{
        width: `${100 / columns}%`,
        height,
        insetInlineStart: `${((index % columns) * 100) / columns}%`,
        transform: `translateY(${Math.floor(index / columns) * height}px)`,
      }}
    >
      {children}
    </li>
  );
  const first = near.first * columns;
  const drawn = Array.from(
    { length: Math.min(count, near.last * columns) - first },
    (_, index) => first + index,
  );
  return (
    <ul
      ref={list}
      className={styles.items}
      data-look={look}
      style={{ height: lines * height }}
      aria-label={label}
      aria-busy={busy}
    >
      {drawn.map((index) => {
        const folder = folders[index];
        if (folder) {
          return at(
            index,
            folder.id,
            false,
            <button type="button" className={styles.open} disabled={busy} onClick={() => onFolder(folder.id)}>
              <span className={styles.sign}>
                <FolderIcon size={look === 'list' ? 24 : 40} />
              </span>
              <span className={styles.name} title={folder.name} dir="auto">
                {folder.name}
              </span>
            </button>,
          );
        }
        const item = items[index - folders.length];
        if (!item) return null;
        return at(
          index,
          item.id,
          item.id === shown?.id,
          <>
            <button
              type="button"
              className={styles.open}
              aria-expanded={item.id === shown?.id}
              onClick={() => onOpen(item)}
            >
              <Sign item={item} src={look === 'list' ? '' : picture(item)} />
              <span className={styles.facts}>
                <span className={styles.name} title={item.filename} dir="auto">
                  {item.filename}
                </span>
                <span className={styles.meta}>{formatSize(item.size, language)}</span>
              </span>
            </button>
            {mayDownload(item) && (
              <a
                className={styles.download}
                href={item.downloadUrl}
                download={item.filename}
                onClick={onDownload(item)}
                aria-label={t('collection.download', { name: item.filename })}
              >
                <Download size={18} />
              </a>
            )}
          </>,
        );
      })}
    </ul>
  );
}

/** Sign is the small picture of a file, or the sign of its kind where there is none. */
function Sign({ item, src }: { item: CollectionItem; src: string }) {
  const [failed, setFailed] = useState('');
  return (
    <span className={styles.sign}>
      {src && failed !== src ? (
        <img
          src={src}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => setFailed(src)}
        />
      ) : (
        <FileGlyph file={item} />
      )}
    </span>
  );
}

/** Pictures that the server makes smaller, up to a size in bytes; others are shown as they are when they are small. */
const shrinkable = new Set(['jpg', 'jpeg', 'jpe', 'jfif', 'png', 'gif']);
const shown = new Set(['webp', 'avif', 'svg', 'bmp', 'ico']);
const largest = { shrunk: 64 << 20, whole: 1 << 20 };

/** smallPicture is the address of a small picture of a file; "" where there is none. */
export function smallPicture(
  item: CollectionItem,
  slug: string,
  ticket: string | undefined,
  look: Look,
): string {
  const extension = extensionOf(item.filename);
  if (shrinkable.has(extension) && item.size <= largest.shrunk)
    return itemPictureUrl(slug, item.id, look === 'gallery' ? 640 : 320, ticket);
  return shown.has(extension) && item.size <= largest.whole ? item.previewUrl : '';
}
