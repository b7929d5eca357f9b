import { ArrowDown, ArrowUp, Ellipsis } from 'lucide-react';
import { useRef, useSyncExternalStore } from 'react';
import type { Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { IconButton, Time } from '../../shared/ui';
import { nextSort, type SortBy } from './entries';
import { EntryIcon } from './EntryIcon';
import { EntryLink } from './EntryLink';
import styles from './explorer.module.css';
import type { ListingViewProps } from './listingView';
import { setTaste, useTaste } from './taste';
import { useGridKeys } from './useGridKeys';
import { useLongPress } from './useLongPress';
import { isSelectable } from './useSelection';
import { useWindow } from './useWindow';

const columns: readonly SortBy[] = ['name', 'size', 'modified'];

/** ListView shows a folder as lines. Only those near the screen are drawn when there are many. */
export function ListView({
  path,
  entries,
  selection,
  actions,
  onMenu,
  startAt,
  focusAtStart,
}: ListingViewProps) {
  const t = useT();
  const list = useRef<HTMLDivElement>(null);
  const height = useLineHeight();
  const near = useWindow(list, entries.length, height);
  const grid = useGridKeys({
    list,
    entries,
    columns: 1,
    height,
    selection,
    actions,
    startAt,
    focusAtStart,
  });
  const press = useLongPress<Entry>(onMenu);

  // The entry in the Tab order stays drawn wherever the page is scrolled to.
  const drawn = entries.flatMap((entry, index) =>
    (index >= near.first && index < near.last) || index === grid.active ? [{ entry, index }] : [],
  );
  return (
    <div
      role="grid"
      aria-label={t('explorer.list.label')}
      aria-rowcount={entries.length + 1}
      aria-multiselectable="true"
      className={styles.list}
      data-selecting={selection.selecting || undefined}
    >
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} className={styles.head}>
          <SelectAll selection={selection} entries={entries} />
          {columns.map((by) => (
            <ColumnHead key={by} by={by} />
          ))}
          <span role="columnheader" className={styles.more}>
            <span className="visually-hidden">{t('explorer.list.actions')}</span>
          </span>
        </div>
      </div>
      <div
        role="rowgroup"
        ref={list}
        className={styles.lines}
        style={{ height: entries.length * height }}
        onKeyDown={grid.keys}
      >
        {drawn.map(({ entry, index }) => (
          <div
            key={entry.path}
            role="row"
            aria-rowindex={index + 2}
            aria-selected={isSelectable(entry) ? selection.has(entry) : undefined}
            className={styles.line}
            style={{ height, transform: `translateY(${index * height}px)` }}
            {...grid.item(entry, index)}
            {...press(entry)}
          >
            <span role="gridcell" className={styles.check}>
              {isSelectable(entry) && (
                <input
                  type="checkbox"
                  tabIndex={-1}
                  checked={selection.has(entry)}
                  aria-label={t('explorer.list.select', { name: entry.name })}
                  onChange={(event) => {
                    const shift = event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey;
                    if (shift) selection.extend(entry);
                    else selection.toggle(entry);
                  }}
                />
              )}
            </span>
            <span role="gridcell" className={styles.name}>
              <EntryIcon entry={entry} />
              <EntryLink path={path} entry={entry} />
            </span>
            <EntryFigures entry={entry} />
            <span role="gridcell" className={styles.more}>
              <IconButton
                label={t('explorer.list.more', { name: entry.name })}
                aria-haspopup="menu"
                tabIndex={index === grid.active ? 0 : -1}
                onClick={(event) => {
                  const box = event.currentTarget.getBoundingClientRect();
                  onMenu(entry, { x: box.right, y: box.bottom });
                }}
              >
                <Ellipsis size={20} aria-hidden="true" />
              </IconButton>
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}

function EntryFigures({ entry }: { entry: Entry }) {
  const language = useLanguage();
  return (
    <>
      <span role="gridcell" className={styles.size}>
        {typeof entry.size === 'number' ? formatSize(entry.size, language) : ''}
      </span>
      <span role="gridcell" className={styles.modified}>
        {entry.modified && <Time value={entry.modified} />}
      </span>
    </>
  );
}

function ColumnHead({ by }: { by: SortBy }) {
  const t = useT();
  const { sort } = useTaste();
  const [column, order] = sort.split(' ');
  const sorted = column === by ? order : undefined;
  return (
    <span
      role="columnheader"
      className={styles[by]}
      aria-sort={sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : 'none'}
    >
      <button type="button" className={styles.sort} onClick={() => setTaste({ sort: nextSort(sort, by) })}>
        {t(`explorer.list.${by}`)}
        {sorted === 'asc' && <ArrowUp size={14} aria-hidden="true" />}
        {sorted === 'desc' && <ArrowDown size={14} aria-hidden="true" />}
      </button>
    </span>
  );
}

function SelectAll({ selection, entries }: Pick<ListingViewProps, 'selection' | 'entries'>) {
  const t = useT();
  const possible = entries.filter(isSelectable).length;
  const chosen = selection.entries.length;
  return (
    <span role="columnheader" className={styles.check}>
      {possible > 0 ? (
        <input
          type="checkbox"
          checked={chosen === possible}
          ref={(box) => {
            if (box) box.indeterminate = chosen > 0 && chosen < possible;
          }}
          aria-label={t('explorer.list.selectAll')}
          onChange={() => (chosen === possible ? selection.clear() : selection.all())}
        />
      ) : (
        <span className="visually-hidden">{t('explorer.list.selectAll')}</span>
      )}
    </span>
  );
}

const coarse = matchMedia('(pointer: coarse)');

/** useLineHeight is the height of a line in px: more where fingers touch it. */
function useLineHeight(): number {
  const touch = useSyncExternalStore(
    (listener) => {
      coarse.addEventListener('change', listener);
      return () => coarse.removeEventListener('change', listener);
    },
    () => coarse.matches,
  );
  return touch ? 56 : 44;
}
