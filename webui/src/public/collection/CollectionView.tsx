import { ChevronRight, FileDown, Pencil, TriangleAlert, X } from 'lucide-react';
import { Fragment, lazy, Suspense, useMemo, useState, type MouseEventHandler } from 'react';
import { Link } from 'wouter';
import type { Shown } from '../../api/collections';
import { errorText } from '../../api/errorText';
import type { CollectionItem, PublicCollection } from '../../api/types';
import { permissions } from '../../auth/permissions';
import { useSession } from '../../auth/session';
import { useInSight } from '../../hooks/useObserved';
import { useLanguage, useT } from '../../i18n';
import { formatSize, formatTime, parseTime, remainingViews } from '../../shared/format';
import { useDownload } from '../../shared/gate/useDownload';
import { PageHeading } from '../../shared/page';
import { FilePreview } from '../../shared/preview';
import { previewKind } from '../../shared/preview/kind';
import { Button, buttonClass, Dialog, IconButton, Segmented, SelectField, toast } from '../../shared/ui';
import { useStore } from '../../store';
import { isReadme } from './edit/rows';
import { Entries, smallPicture } from './Entries';
import { ordered, orders, type Order } from './order';
import { look, looks } from './taste';
import styles from './collection.module.css';

const Lightbox = lazy(() =>
  import('../../shared/preview/Lightbox').then((module) => ({ default: module.Lightbox })),
);

/** Entries up to which a file is shown below the list; of a longer one it would be out of sight. */
const most = 12;

const isPicture = (item: CollectionItem) => previewKind(item) === 'image';

/** counted is how many entries of the folder have come. */
const counted = ({ folders = [], items }: PublicCollection) => folders.length + items.length;

interface CollectionViewProps {
  collection: PublicCollection;
  /** refresh opens it again, when the addresses of its items have run out. */
  refresh: (part: Shown) => Promise<PublicCollection>;
  /** look shows another part of a shared folder within the same visit. */
  look: (part: Shown) => Promise<PublicCollection>;
}

/** CollectionView is an open collection: its files, and one of them shown below; at first a README. */
export function CollectionView({ collection: first, refresh, look: visit }: CollectionViewProps) {
  const t = useT();
  const language = useLanguage();
  const [collection, setCollection] = useState(first);
  const { items } = collection;
  const readme = items.find(isReadme);
  const isLong = (collection.total ?? items.length) > most;
  const landing = first.look === 'preview' ? items[0] : undefined;
  const [shown, setShown] = useState(isLong ? undefined : (landing ?? readme));
  // Above a long list, below which nobody would see it.
  const [lead, setLead] = useState(isLong ? landing : undefined);
  const [large, setLarge] = useState<CollectionItem>();
  const taste = useStore(look);
  const [chosen, setChosen] = useState(first.look === 'preview' ? 'list' : first.look || undefined);
  const view = chosen ?? taste;
  const [order, setOrder] = useState<Order>('given');
  const sorted = useMemo(() => ordered(items, order, language), [items, order, language]);
  const pictures = useMemo(() => sorted.filter(isPicture), [sorted]);
  const session = useSession();
  const mayChange = session.can(permissions.FILE_SHARE) && session.owns(collection.created_by);
  const download = useDownload(Boolean(collection.max_views));
  const [busy, setBusy] = useState(false);
  const way = collection.way ?? [];
  const folders = collection.folders ?? [];
  const here = way.at(-1)?.id;
  const loaded = counted(collection);
  const lost = collection.lost ?? [];

  /** part reads another folder, or, from an offset on, more of this one. */
  async function part(before: PublicCollection, folder: string | undefined, offset: number) {
    const next = await visit({ folder, offset, ticket: before.ticket });
    if (offset === 0) return next;
    return {
      ...next,
      folders: [...(before.folders ?? []), ...(next.folders ?? [])],
      items: [...before.items, ...next.items],
      lost: before.lost ?? [],
    };
  }

  /** go shows a part; `all` goes on to the end of the folder. */
  async function go(folder: string | undefined, offset = 0, all = false) {
    if (busy) return;
    setBusy(true);
    try {
      let next = await part(collection, folder, offset);
      for (let count = counted(next); all && count < (next.total ?? 0); count = counted(next)) {
        const more = await part(next, folder, count);
        if (counted(more) === count) break;
        next = more;
      }
      setCollection(next);
      if (offset > 0) return;
      setOrder('given');
      setLead(undefined);
      setShown((next.total ?? 0) > most ? undefined : next.items.find(isReadme));
    } catch (error) {
      toast.error(errorText(error, t));
    } finally {
      setBusy(false);
    }
  }

  /** sort orders all of the folder, not only what has come of it so far. */
  async function sort(by: Order) {
    setOrder(by);
    if (by !== 'given' && loaded < (collection.total ?? 0)) await go(here, loaded, true);
  }
  const nearEnd = useInSight('1500px', (inSight) => {
    if (inSight) void go(here, loaded);
  });

  const archive = download({
    name: '',
    probe: items[0]?.downloadUrl ?? collection.archiveUrl ?? '',
    renew: renewAll,
  });

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
  const inner = {
    busy,
    shown,
    picture: (item: CollectionItem) => smallPicture(item, collection.slug, collection.ticket, view),
    onFolder: (id: string) => void go(id),
    onOpen(item: CollectionItem) {
      if (view !== 'list' && isPicture(item)) setLarge(item);
      else setShown(item.id === shown?.id ? undefined : item);
    },
    mayDownload: (item: CollectionItem) => downloadsLeft !== 0 || taken.includes(item.id),
    onDownload: (item: CollectionItem): MouseEventHandler<HTMLAnchorElement> => {
      const start = download({ name: item.filename, probe: item.downloadUrl, renew: () => renew(item) });
      return (event) => {
        saving(item.id);
        start(event);
      };
    },
  };
  const [taken, setTaken] = useState<readonly string[]>([]);
  const mostDownloads = collection.max_downloads ?? 0;
  const downloadsLeft =
    mostDownloads > 0 ? Math.max(0, mostDownloads - (collection.downloads ?? 0) - taken.length) : undefined;
  /** saving is called when something is downloaded, which counts once in a visit. */
  const saving = (what: string) => setTaken((before) => (before.includes(what) ? before : [...before, what]));
  const left = remainingViews(collection.max_views, collection.views);
  const mayZip = downloadsLeft !== 0 || taken.includes(collection.archiveUrl ?? '');
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
            <Pencil size={18} />
            {t('collection.edit')}
          </Link>
        )}
        <p className={styles.meta}>
          {[
            collection.live
              ? t('collection.entries', collection.total ?? 0)
              : t('collection.facts', { files: t('collection.files', items.length), size }),
            collection.as_it_stood &&
              t('collection.asItStood', { time: formatTime(parseTime(collection.created_at), language) }),
            downloadsLeft !== undefined && downloadsLeft > 0 && t('collection.downloadsLeft', downloadsLeft),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
        {(collection.isLastView || (left ?? 3) < 3) && (
          <p className={styles.warning}>
            <TriangleAlert size={18} />
            {left && !collection.isLastView ? t('collection.fewLeft', left) : t('collection.lastView')}
          </p>
        )}
        {downloadsLeft === 0 && <p className={styles.meta}>{t('collection.noDownloads')}</p>}
        {collection.archiveUrl && mayZip && (collection.live || items.length > 1) && (
          <a
            className={`${buttonClass('primary')} ${styles.all}`}
            href={collection.archiveUrl}
            download
            onClick={(event) => {
              saving(collection.archiveUrl ?? '');
              archive(event);
            }}
          >
            <FileDown size={18} />
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
              <ChevronRight size={16} />
              {at < way.length - 1 ? (
                <Button variant="quiet" disabled={busy} onClick={() => void go(id)}>
                  {name}
                </Button>
              ) : (
                <bdi aria-current="location">{name}</bdi>
              )}
            </Fragment>
          ))}
        </nav>
      )}
      {loaded === 0 && <p className={styles.meta}>{t('collection.empty')}</p>}
      {lead ? (
        <Opened file={lead} onClose={() => setLead(undefined)} />
      ) : (
        isLong && readme && <Shown bare file={readme} />
      )}
      {loaded > 1 && (
        <div className={styles.tools}>
          <Segmented
            label={t('collection.look.label')}
            value={view}
            onChange={(next) => {
              setChosen(next);
              look.set(next);
            }}
            choices={looks.map((value) => ({ value, label: t(`collection.look.${value}`) }))}
          />
          <SelectField
            label={t('collection.order.label')}
            value={order}
            choices={orders
              .filter((value) =>
                value === 'newest' ? collection.live : value !== 'name' || !collection.live,
              )
              .map((value) => ({
                value,
                label: t(`collection.order.${value === 'given' && collection.live ? 'name' : value}`),
              }))}
            onChange={(event) => void sort(event.target.value as Order)}
          />
        </div>
      )}
      {loaded > 0 && view !== 'gallery' && (
        <Entries {...inner} look={view} label={t('collection.items')} folders={folders} items={sorted} />
      )}
      {loaded > 0 && view === 'gallery' && (
        <>
          {pictures.length > 0 ? (
            <Entries
              {...inner}
              look="gallery"
              label={t('collection.pictures')}
              folders={[]}
              items={pictures}
            />
          ) : (
            <p className={styles.meta}>{t('collection.noPictures')}</p>
          )}
          {loaded > pictures.length && (
            <Entries
              {...inner}
              look="list"
              label={t('collection.items')}
              folders={folders}
              items={sorted.filter((item) => !isPicture(item))}
            />
          )}
        </>
      )}
      {loaded < (collection.total ?? 0) && (
        <div key={loaded} ref={nearEnd}>
          <Button className={styles.all} busy={busy} onClick={() => void go(here, loaded)}>
            {t('collection.more', (collection.total ?? 0) - loaded)}
          </Button>
        </div>
      )}
      {lost.length > 0 && (
        <section className={styles.lost} aria-label={t('collection.lost')}>
          <h2>{t('collection.lost')}</h2>
          <ul>
            {lost.map(({ name, changed }) => (
              <li key={name}>
                <span className={styles.name} dir="auto">
                  {name}
                </span>
                <span className={styles.meta}>
                  {t(changed ? 'collection.changed' : 'collection.deleted')}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {large && (
        <Suspense fallback={null}>
          <Lightbox
            pictures={pictures.map((item) => ({ name: item.filename, src: item.previewUrl }))}
            index={Math.max(
              0,
              pictures.findIndex(({ id }) => id === large.id),
            )}
            onIndex={(index) => setLarge(pictures[index])}
            onClose={() => setLarge(undefined)}
          />
        </Suspense>
      )}
      {shown && isLong && (
        <Dialog wide title={shown.filename} onClose={() => setShown(undefined)}>
          <Shown file={shown} />
        </Dialog>
      )}
      {shown && !isLong && <Opened file={shown} onClose={() => setShown(undefined)} />}
    </div>
  );
}

/** Opened is a file that stands among the others, by its name. */
function Opened({ file, onClose }: { file: CollectionItem; onClose: () => void }) {
  const t = useT();
  return (
    <section className={styles.shown} aria-label={t('collection.preview', { name: file.filename })}>
      <div className={styles.shownHead}>
        <h2 dir="auto">{file.filename}</h2>
        <IconButton label={t('collection.close')} onClick={onClose}>
          <X size={18} />
        </IconButton>
      </div>
      <Shown file={file} />
    </section>
  );
}

/** Shown is one file of a collection as far as a browser can show it; one that tells about the others stands `bare`. */
function Shown({ file, bare }: { file: CollectionItem; bare?: true }) {
  const { filename, mimetype, type, size, previewUrl, downloadUrl } = file;
  return (
    <FilePreview
      key={file.id}
      {...(bare && { bare })}
      file={{ filename, mimetype, type, size, viewUrl: previewUrl, readUrl: previewUrl, downloadUrl }}
    />
  );
}
