import { ImageOff, RotateCw } from 'lucide-react';
import { Suspense, useMemo, useRef, useState } from 'react';
import type { Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Button, EmptyState } from '../../shared/ui';
import { Band } from './Band';
import { isImage } from './entries';
import { EntryCheck, EntryMark, EntryMore } from './EntryControls';
import { EntryLink } from './EntryLink';
import styles from './gallery.module.css';
import { lanesLayout } from './layout';
import { lazyPart } from '../../shared/lazyPart';
import type { ListingViewProps } from './listingView';
import { TileView } from './TileView';
import { setTaste, useTaste } from './taste';
import { useItems } from './useItems';
import { useRatios } from './useRatios';
import { useRubberBand } from './useRubberBand';
import { fetchThumb } from './thumbs';
import { useThumb } from './useThumb';
import { useWidth } from '../../hooks/useWidth';
import { useWindow } from '../../hooks/useWindow';

const FolderLightbox = lazyPart(() => import('./FolderLightbox'), 'preview');

/** Least width of a column on a small window, in px. */
const narrow = 150;

/** Height of a slice of the gallery in px; what lies in slices near the window is drawn. */
const slice = 100;

/** GalleryView shows the pictures of a folder as masonry; folders and other files follow below them. */
export default function GalleryView(props: ListingViewProps) {
  const t = useT();
  const { gallery } = useTaste();
  const { entries, actions } = props;
  const [shown, setShown] = useState<Entry>();
  const pictures = useMemo(() => entries.filter(isImage), [entries]);
  const others = useMemo(() => entries.filter((entry) => !isImage(entry)), [entries]);
  const folders = others.filter(({ isDirectory }) => isDirectory).length;
  const open = (entry: Entry) => (isImage(entry) ? setShown(entry) : actions.open(entry));
  const inner = { ...props, actions: { ...actions, open } };
  // The entry to begin at is one of the pictures or one of the rest.
  const start = entries[props.startAt];
  const startIn = (part: readonly Entry[]) => Math.max(0, start ? part.indexOf(start) : 0);
  const startsHere = (part: readonly Entry[]) => props.focusAtStart && (!start || part.includes(start));

  return (
    <div className={styles.gallery}>
      <p className={styles.counts}>
        <span>{t('explorerDialogs.gallery.pictures', pictures.length)}</span>
        {folders > 0 && <span>{t('explorerDialogs.gallery.folders', folders)}</span>}
        {others.length > folders && (
          <span>{t('explorerDialogs.gallery.others', others.length - folders)}</span>
        )}
      </p>
      {pictures.length === 0 ? (
        <EmptyState
          icon={<ImageOff size={28} />}
          title={t('explorerDialogs.gallery.none')}
          action={
            <>
              <Button onClick={() => setTaste({ view: 'list' })}>
                {t('explorerDialogs.gallery.asList')}
              </Button>
              <Button onClick={() => setTaste({ view: 'grid' })}>
                {t('explorerDialogs.gallery.asGrid')}
              </Button>
            </>
          }
        />
      ) : (
        <Masonry
          {...inner}
          entries={pictures}
          startAt={startIn(pictures)}
          focusAtStart={startsHere(pictures)}
        />
      )}
      {others.length > 0 && !gallery.imagesOnly && (
        <section aria-label={t('explorerDialogs.gallery.rest')}>
          <TileView {...inner} entries={others} startAt={startIn(others)} focusAtStart={startsHere(others)} />
        </section>
      )}
      <Suspense fallback={null}>
        {shown && <FolderLightbox pictures={pictures} first={shown} onClose={() => setShown(undefined)} />}
      </Suspense>
    </div>
  );
}

function Masonry(props: ListingViewProps) {
  const { path, entries, selection, onMenu, marks, onMark } = props;
  const t = useT();
  const { gallery } = useTaste();
  const field = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const width = useWidth(list);
  const wanted = gallery.columns || Math.floor((width + gallery.gapX) / (gallery.width + gallery.gapX));
  const most = Math.max(1, Math.floor((width + gallery.gapX) / (narrow + gallery.gapX)));
  const lanes = Math.min(most, Math.max(2, Math.min(6, wanted)));
  const { ratios, learn } = useRatios(entries);
  const layout = useMemo(
    () => lanesLayout({ ratios, lanes, width, gapX: gallery.gapX, gapY: gallery.gapY }),
    [ratios, lanes, width, gallery.gapX, gallery.gapY],
  );
  const near = useWindow(list, Math.ceil(layout.height / slice), slice, 0);
  const items = useItems(props, list, layout);
  const band = useRubberBand({ field, list, entries, layout, selection });

  const drawn = entries.flatMap((entry, index) => {
    const box = layout.boxOf(index);
    const seen = box.top < near.last * slice && box.top + box.height > near.first * slice;
    return seen || index === items.active ? [{ entry, index, box }] : [];
  });
  return (
    <div ref={field} className={styles.field}>
      <div
        role="grid"
        ref={list}
        aria-label={t('explorerDialogs.gallery.label')}
        aria-rowcount={entries.length}
        aria-multiselectable="true"
        className={styles.lanes}
        data-selecting={selection.selecting || undefined}
        style={{ height: layout.height }}
        onKeyDown={items.keys}
      >
        {drawn.map(({ entry, index, box }) => (
          <div key={entry.path} role="row" aria-rowindex={index + 1}>
            <div
              role="gridcell"
              className={styles.picture}
              style={{
                width: box.width,
                height: box.height,
                transform: `translate(${box.left}px, ${box.top}px)`,
              }}
              {...items.item(entry, index)}
            >
              <span className={styles.hold} {...items.hold(entry)}>
                <Picture
                  entry={entry}
                  onRatio={(ratio) => {
                    const top = (list.current?.getBoundingClientRect().top ?? 0) + box.top;
                    learn(entry, ratio, top > innerHeight);
                  }}
                />
              </span>
              <EntryCheck entry={entry} selection={selection} className={styles.check} />
              <span className={styles.caption}>
                <EntryLink path={path} entry={entry} />
              </span>
              <span className={styles.mark}>
                <EntryMark entry={entry} marks={marks} onMark={onMark} />
              </span>
              <span className={styles.more}>
                <EntryMore entry={entry} active={index === items.active} onMenu={onMenu} />
              </span>
            </div>
          </div>
        ))}
        <Band box={band} />
      </div>
    </div>
  );
}

function Picture({ entry, onRatio }: { entry: Entry; onRatio: (ratio: number) => void }) {
  const t = useT();
  const language = useLanguage();
  const { url, failed, ref } = useThumb(entry);

  return (
    <span ref={ref} className={styles.frame}>
      {url && (
        <img
          src={url}
          alt=""
          draggable={false}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            onRatio(naturalWidth / naturalHeight || 1)
          }
        />
      )}
      {url === '' && !failed && (
        <Button onClick={() => fetchThumb(entry)}>
          {t('explorerDialogs.gallery.large', { size: formatSize(entry.size ?? 0, language) })}
        </Button>
      )}
      {failed && (
        <Button icon={<RotateCw size={18} />} onClick={() => fetchThumb(entry)}>
          {t('explorerDialogs.gallery.failed')}
        </Button>
      )}
    </span>
  );
}
