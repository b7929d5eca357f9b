import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { Clipboard, ExternalLink, FolderOpen, History, Search, Share2, ShoppingBasket } from 'lucide-react';
import { useState, type ChangeEvent, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { useTimer } from '../../hooks/useTimer';
import { errorText } from '../../api/errorText';
import { search, type Hit, type SearchQuery, type SearchScope } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { copyText } from '../../shared/clipboard';
import { formatNumber, formatSize } from '../../shared/format';
import { searches } from '../../shared/offline/searches';
import {
  Button,
  Dialog,
  IconButton,
  Segmented,
  SelectField,
  TextField,
  Time,
  TimeIn,
  toast,
} from '../../shared/ui';
import type { Asked } from './asked';
import { basket } from './basket';
import { EntryIcon } from './EntryIcon';
import styles from './explorer.module.css';
import { cleanPath, hrefOf, parentOf } from './place';
import { ages, kinds, narrowOf, noFilter, sizes, type SearchFilter } from './searchFilter';
import { useRights } from './useRights';

interface SearchDialogProps {
  path: string;
  /** mount is the id of the mount on the screen; undefined above the mounts. */
  mount: string | undefined;
  base: string;
  onClose: () => void;
  onAsk: (asked: Asked) => void;
}

/** Hits of one answer. */
const atOnce = 50;

/** Past searches that are offered. */
const offered = 5;

/** Milliseconds of rest after which a search begins by itself. */
const rest = 300;

/** searchQuery is the pages of hits of a query. */
const searchQuery = (wanted: SearchQuery) =>
  infiniteQueryOptions({
    queryKey: ['search', wanted],
    queryFn: ({ pageParam: offset, signal }) => search({ ...wanted, ...(offset > 0 && { offset }) }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ hasMore }, pages) =>
      hasMore ? pages.reduce((sum, { results }) => sum + results.length, 0) : undefined,
    // What was found before stands until the next answer.
    placeholderData: keepPreviousData,
  });

/** pastQuery is the past searches that are offered. */
const pastQuery = queryOptions({
  queryKey: ['past searches'],
  queryFn: async () => (await searches.list()).slice(0, offered),
});

/** SearchDialog finds files and folders by a part of their name. */
export default function SearchDialog({ path, mount, onClose, onAsk }: SearchDialogProps) {
  const t = useT();
  const language = useLanguage();
  const [, go] = useLocation();
  const [typed, setTyped] = useState('');
  const [scope, setScope] = useState<SearchScope>(mount ? 'directory' : 'global');
  const [marked, setMarked] = useState(0);
  const [filter, setFilter] = useState(noFilter);
  const client = useQueryClient();
  const { data: past = [] } = useQuery(pastQuery);
  const [opened] = useState(() => Date.now());
  // settled is the query that is asked, as JSON: what is typed, after a rest or at once.
  const [settled, setSettled] = useState('');
  const rights = useRights();
  const query = typed.trim();
  const long = [...query].length >= 2;
  const wanted: SearchQuery = {
    q: query,
    scope,
    limit: atOnce,
    ...(scope === 'directory' && { path }),
    ...(scope === 'mount' && mount && { mount_id: mount }),
    ...narrowOf(filter, opened),
  };
  const asked = JSON.stringify(wanted);
  const rested = long && settled === asked;
  const found = useInfiniteQuery({ ...searchQuery(wanted), enabled: rested });
  const pages = found.data?.pages ?? [];
  const answer = pages.at(-1);
  const current = rested && !found.isPlaceholderData && !found.isPending;
  // What was found before cannot be opened by Enter.
  const hits = long ? pages.flatMap(({ results }) => results) : [];
  const hit = current ? hits[Math.min(marked, hits.length - 1)] : undefined;

  useTimer(() => setSettled(asked), long ? rest : undefined, asked);

  /** hurry searches at once: again, when the last try has failed. */
  function hurry() {
    if (!long) return;
    void searches.note(query);
    if (rested) void found.refetch();
    else setSettled(asked);
  }

  function open(hit: Hit, folder: boolean) {
    void searches.note(query);
    onClose();
    if (hit.isDirectory) go(hrefOf(folder ? parentOf(hit.path) : hit.path));
    else go(hrefOf(parentOf(hit.path), folder ? '' : hit.name));
  }

  function keys(event: KeyboardEvent) {
    // While Chinese is being composed, the keys belong to the composition.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') setMarked(Math.min(marked + 1, hits.length - 1));
    else if (event.key === 'ArrowUp') setMarked(Math.max(0, marked - 1));
    else if (event.key === 'Enter' && hit) open(hit, event.ctrlKey || event.metaKey);
    else if (event.key === 'Enter') hurry();
    // The field of a search keeps the first Escape for itself, to be emptied.
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
  }

  async function copyPath({ path: found }: Hit) {
    if (await copyText(cleanPath(found))) toast.success(t('explorer.pathCopied'));
    else toast.warning(cleanPath(found));
  }

  const scopes: SearchScope[] = mount ? ['directory', 'mount', 'global'] : ['global'];
  const status = !long
    ? t('explorerDialogs.search.idle')
    : !current
      ? t('explorerDialogs.search.busy')
      : answer
        ? t('explorerDialogs.search.found', {
            smart_count: answer.total,
            count: formatNumber(answer.total, language) + (answer.cut ? '+' : ''),
            mounts: answer.mountsSearched,
          })
        : '';
  return (
    <Dialog wide title={t('explorerDialogs.search.title')} onClose={onClose}>
      <div className={styles.form}>
        <div className={styles.searchField}>
          <input
            data-autofocus=""
            enterKeyHint="search"
            type="search"
            dir="auto"
            role="combobox"
            aria-expanded={hits.length > 0}
            aria-controls="pp-hits"
            aria-activedescendant={hits.length > 0 ? `pp-hit-${marked}` : undefined}
            aria-autocomplete="list"
            aria-label={t('explorerDialogs.search.label')}
            placeholder={t('explorerDialogs.search.label')}
            maxLength={255}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              setMarked(0);
            }}
            onKeyDown={keys}
          />
          <IconButton label={t('explorerDialogs.search.go')} disabled={!long} onClick={hurry}>
            <Search size={20} />
          </IconButton>
        </div>
        {scopes.length > 1 && (
          <Segmented
            label={t('explorerDialogs.search.scope')}
            value={scope}
            onChange={setScope}
            choices={scopes.map((value) => ({ value, label: t(`explorerDialogs.search.scopes.${value}`) }))}
          />
        )}
        <p className={styles.hint} role="status">
          {status}
          {current && answer?.partial && ` ${t('explorerDialogs.search.partial')}`}
          {current && answer?.indexedAt && (
            <>
              {' · '}
              <TimeIn sentence="explorerDialogs.search.indexed" value={answer.indexedAt} relative />
            </>
          )}
        </p>
        {current && found.error && (
          <p role="alert" className={styles.problem}>
            {errorText(found.error, t)}
          </p>
        )}
        {long && (
          <Filters
            filter={filter}
            onChange={(next) => {
              setFilter(next);
              setMarked(0);
            }}
          />
        )}
        {!long && past.length > 0 && (
          <div className={styles.recent}>
            {past.map((before) => (
              <Button key={before} icon={<History size={16} />} onClick={() => setTyped(before)}>
                {before}
              </Button>
            ))}
            <Button
              variant="quiet"
              onClick={() => {
                void searches.clear().catch(() => undefined);
                client.setQueryData(pastQuery.queryKey, []);
              }}
            >
              {t('explorerDialogs.search.forget')}
            </Button>
          </div>
        )}
        <ul
          role="listbox"
          id="pp-hits"
          aria-label={t('explorerDialogs.search.results')}
          aria-busy={!current || undefined}
          className={styles.hits}
        >
          {hits.map((one, at) => (
            <HitLine
              key={one.path}
              hit={one}
              at={at}
              marked={at === Math.min(marked, hits.length - 1)}
              query={query}
              onOpen={open}
            />
          ))}
        </ul>
        {hit && (
          <div
            className={styles.sources}
            role="group"
            aria-label={t('explorer.list.more', { name: hit.name })}
          >
            <Button icon={<ExternalLink size={18} />} onClick={() => open(hit, false)}>
              {t('explorer.menu.open')}
            </Button>
            <Button icon={<FolderOpen size={18} />} onClick={() => open(hit, true)}>
              {t('explorerDialogs.search.folder')}
            </Button>
            <Button icon={<Clipboard size={18} />} onClick={() => void copyPath(hit)}>
              {t('explorer.menu.path')}
            </Button>
            <Button
              icon={<ShoppingBasket size={18} />}
              onClick={() => {
                if (basket.add([hit]) === 0) toast.success(t('explorer.basket.added', 1));
                else toast.warning(t('explorer.basket.full', 1));
              }}
            >
              {t('explorer.menu.collect')}
            </Button>
            {rights.share && !hit.isDirectory && (
              <Button
                icon={<Share2 size={18} />}
                onClick={() => onAsk({ kind: 'share', entry: { ...hit, isDirectory: false } })}
              >
                {t('explorer.menu.share')}
              </Button>
            )}
          </div>
        )}
        {current && found.hasNextPage && (
          <Button busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            {t('explorerDialogs.search.more')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

interface FiltersProps {
  filter: SearchFilter;
  onChange: (filter: SearchFilter) => void;
}

function Filters({ filter, onChange }: FiltersProps) {
  const t = useT();
  const choices = <V extends string>(area: string, values: readonly V[]) =>
    values.map((value) => ({ value, label: t(`explorerDialogs.search.${area}.${value}`) }));
  const pick = <V extends string>(values: readonly V[], value: string) =>
    values.find((one) => one === value) ?? ('any' as V);
  const field = (name: 'least' | 'most' | 'from' | 'to') => ({
    value: filter[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => onChange({ ...filter, [name]: event.target.value }),
  });
  const megabytes = (name: 'least' | 'most') => ({
    ...field(name),
    inputMode: 'decimal' as const,
    maxLength: 12,
  });
  const dayOf = (name: 'from' | 'to') => ({ ...field(name), type: 'date' });
  return (
    <div className={styles.filters}>
      <SelectField
        label={t('explorerDialogs.search.kind')}
        value={filter.kind}
        choices={choices('kinds', kinds)}
        onChange={(event) => onChange({ ...filter, kind: pick(kinds, event.target.value) })}
      />
      <SelectField
        label={t('explorer.list.size')}
        value={filter.size}
        choices={choices('sizes', sizes)}
        onChange={(event) => onChange({ ...filter, size: pick(sizes, event.target.value) })}
      />
      <SelectField
        label={t('explorer.list.modified')}
        value={filter.age}
        choices={choices('ages', ages)}
        onChange={(event) => onChange({ ...filter, age: pick(ages, event.target.value) })}
      />
      {filter.size === 'own' && (
        <div className={styles.range} role="group" aria-label={t('explorer.list.size')}>
          <TextField label={t('explorerDialogs.search.least')} {...megabytes('least')} />
          <TextField label={t('explorerDialogs.search.most')} {...megabytes('most')} />
        </div>
      )}
      {filter.age === 'own' && (
        <div className={styles.range} role="group" aria-label={t('explorer.list.modified')}>
          <TextField label={t('explorerDialogs.search.from')} {...dayOf('from')} max={filter.to} />
          <TextField label={t('explorerDialogs.search.to')} {...dayOf('to')} min={filter.from} />
        </div>
      )}
    </div>
  );
}

const bringIntoView = (line: HTMLElement | null) => line?.scrollIntoView({ block: 'nearest' });

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
      ref={marked ? bringIntoView : undefined}
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
