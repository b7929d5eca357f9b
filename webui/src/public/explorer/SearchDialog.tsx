import { Search } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { isAborted } from '../../api/client';
import { search, type Hit, type SearchAnswer, type SearchScope } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { errorText } from '../../shared/errorText';
import { formatSize } from '../../shared/format';
import { Button, Dialog, Segmented, Time } from '../../shared/ui';
import { EntryIcon } from './EntryIcon';
import styles from './explorer.module.css';
import { hrefOf, parentOf } from './place';

interface SearchDialogProps {
  path: string;
  /** mount is the id of the mount on the screen; undefined above the mounts. */
  mount: string | undefined;
  base: string;
  onClose: () => void;
}

/** Hits of one answer. */
const atOnce = 50;

/** Milliseconds of rest after which a search begins by itself. */
const rest = 300;

interface Found {
  query: string;
  scope: SearchScope;
  answer?: SearchAnswer;
  error?: unknown;
}

/** SearchDialog finds files and folders by a part of their name. */
export default function SearchDialog({ path, mount, onClose }: SearchDialogProps) {
  const t = useT();
  const [, go] = useLocation();
  const [typed, setTyped] = useState('');
  const [scope, setScope] = useState<SearchScope>(mount ? 'directory' : 'global');
  const [found, setFound] = useState<Found>();
  const [marked, setMarked] = useState(0);
  const [loadingMore, setLoadingMore] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const query = typed.trim();
  const long = [...query].length >= 2;
  const current = found?.query === query && found.scope === scope ? found : undefined;
  const hits = current?.answer?.results ?? [];

  const where = {
    scope,
    ...(scope === 'directory' && { path }),
    ...(scope === 'mount' && { mount_id: mount }),
  };

  useEffect(() => {
    if (!long) return;
    const leave = new AbortController();
    const timer = setTimeout(() => {
      search(
        {
          q: query,
          scope,
          limit: atOnce,
          ...(scope === 'directory' && { path }),
          ...(scope === 'mount' && mount && { mount_id: mount }),
        },
        leave.signal,
      ).then(
        (answer) => {
          setFound({ query, scope, answer });
          setMarked(0);
        },
        (error: unknown) => {
          if (!isAborted(error)) setFound({ query, scope, error });
        },
      );
    }, rest);
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [query, long, scope, path, mount]);

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [marked]);

  async function more() {
    const before = current?.answer;
    if (!before) return;
    setLoadingMore(true);
    try {
      const { mount_id, ...others } = { mount_id: undefined, ...where };
      const next = await search({
        q: query,
        limit: atOnce,
        offset: before.results.length,
        ...others,
        ...(mount_id && { mount_id }),
      });
      setFound({ query, scope, answer: { ...next, results: [...before.results, ...next.results] } });
    } catch (error) {
      setFound({ query, scope, answer: before, error });
    } finally {
      setLoadingMore(false);
    }
  }

  function open(hit: Hit, folder: boolean) {
    onClose();
    if (hit.isDirectory) go(hrefOf(folder ? parentOf(hit.path) : hit.path));
    else go(hrefOf(parentOf(hit.path), folder ? '' : hit.name));
  }

  function keys(event: KeyboardEvent) {
    const hit = hits[marked];
    if (event.key === 'ArrowDown') setMarked(Math.min(marked + 1, hits.length - 1));
    else if (event.key === 'ArrowUp') setMarked(Math.max(0, marked - 1));
    else if (event.key === 'Enter' && hit) open(hit, event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
  }

  const scopes: SearchScope[] = mount ? ['directory', 'mount', 'global'] : ['global'];
  const status = !long
    ? t('explorer.search.idle')
    : !current
      ? t('explorer.search.busy')
      : current.answer
        ? t('explorer.search.found', {
            smart_count: current.answer.total,
            mounts: current.answer.mountsSearched,
          })
        : '';
  return (
    <Dialog wide title={t('explorer.search.title')} onClose={onClose}>
      <div className={styles.form}>
        <div className={styles.searchField}>
          <Search size={20} aria-hidden="true" />
          <input
            data-autofocus=""
            type="search"
            role="combobox"
            aria-expanded={hits.length > 0}
            aria-controls="pp-hits"
            aria-activedescendant={hits.length > 0 ? `pp-hit-${marked}` : undefined}
            aria-autocomplete="list"
            aria-label={t('explorer.search.label')}
            placeholder={t('explorer.search.label')}
            maxLength={255}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={keys}
          />
        </div>
        {scopes.length > 1 && (
          <Segmented
            label={t('explorer.search.scope')}
            value={scope}
            onChange={setScope}
            choices={scopes.map((value) => ({ value, label: t(`explorer.search.scopes.${value}`) }))}
          />
        )}
        <p className={styles.hint} role="status">
          {status}
          {current?.answer?.partial && ` ${t('explorer.search.partial')}`}
          {current?.answer?.indexedAt && (
            <>
              {' '}
              {t('explorer.search.indexed')} <Time value={current.answer.indexedAt} relative />
            </>
          )}
        </p>
        {current?.error !== undefined && (
          <p role="alert" className={styles.problem}>
            {errorText(current.error, t)}
          </p>
        )}
        <ul
          ref={list}
          role="listbox"
          id="pp-hits"
          aria-label={t('explorer.search.results')}
          className={styles.hits}
        >
          {hits.map((hit, at) => (
            <HitLine key={hit.path} hit={hit} at={at} marked={at === marked} query={query} onOpen={open} />
          ))}
        </ul>
        {current?.answer?.hasMore && (
          <Button busy={loadingMore} onClick={() => void more()}>
            {t('explorer.search.more')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

interface HitLineProps {
  hit: Hit;
  at: number;
  marked: boolean;
  query: string;
  onOpen: (hit: Hit, folder: boolean) => void;
}

function HitLine({ hit, at, marked, query, onOpen }: HitLineProps) {
  const language = useLanguage();
  const from = hit.name.toLowerCase().indexOf(query.toLowerCase());
  return (
    <li
      id={`pp-hit-${at}`}
      role="option"
      aria-selected={marked}
      className={styles.hit}
      onClick={(event) => onOpen(hit, event.ctrlKey || event.metaKey)}
    >
      <EntryIcon entry={hit} />
      <span className={styles.hitBody}>
        <span>
          {from < 0 ? (
            hit.name
          ) : (
            <>
              {hit.name.slice(0, from)}
              <mark>{hit.name.slice(from, from + query.length)}</mark>
              {hit.name.slice(from + query.length)}
            </>
          )}
        </span>
        <span className={styles.facts}>
          {parentOf(hit.path)}
          {typeof hit.size === 'number' && !hit.isDirectory && ` · ${formatSize(hit.size, language)}`}
          {hit.modified && (
            <>
              {' · '}
              <Time value={hit.modified} />
            </>
          )}
        </span>
      </span>
    </li>
  );
}
