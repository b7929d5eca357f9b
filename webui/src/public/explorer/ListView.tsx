import { ArrowDown, ArrowUp } from 'lucide-react';
import { useMemo, useRef, type CSSProperties, type ReactNode } from 'react';
import type { Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Time } from '../../shared/ui';
import { useMedia } from '../../hooks/useMedia';
import { Band } from './Band';
import { nextSort, type SortBy } from './entries';
import { EntryCheck, EntryMark, EntryMore } from './EntryControls';
import { EntryIcon } from './EntryIcon';
import { EntryLink } from './EntryLink';
import styles from './explorer.module.css';
import { gridLayout } from './layout';
import type { ListingViewProps } from './listingView';
import { kindWord } from './kindWord';
import { setTaste, useTaste, type Column } from './taste';
import { useItems } from './useItems';
import { useRubberBand } from './useRubberBand';
import { isSelectable } from './useSelection';
import { useWidth } from '../../hooks/useWidth';
import { useWindow } from '../../hooks/useWindow';

/** What a column takes, in px; a name keeps `least` whatever is chosen. */
const widths: Record<Column, number> = { kind: 160, size: 100, modified: 190 };
const least = 240;

/** columnsFor are the chosen columns that a list of this width has room for; a size always has it. */
function columnsFor(chosen: readonly Column[], width: number): readonly Column[] {
  let room = width - 96 - least - (chosen.includes('size') ? widths.size : 0);
  const fits = new Set<Column>(['size']);
  for (const column of ['modified', 'kind'] as const) {
    if (!chosen.includes(column) || room < widths[column]) continue;
    fits.add(column);
    room -= widths[column];
  }
  return chosen.filter((column) => fits.has(column));
}

/** ListView shows a folder as lines. Only those near the screen are drawn when there are many. */
export function ListView(props: ListingViewProps) {
  const { path, entries, selection, onMenu, sizes, marks, onMark } = props;
  const t = useT();
  const field = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const height = useLineHeight();
  const width = useWidth(list);
  const columns = columnsFor(useTaste().columns, width);
  const cells = columns.map((column) => (width < 480 ? 'auto' : `${widths[column]}px`)).join(' ');
  const count = entries.length;
  const layout = useMemo(
    () => gridLayout({ count, columns: 1, width, pitch: height }),
    [count, width, height],
  );
  const near = useWindow(list, count, height);
  const items = useItems(props, list, layout);
  const band = useRubberBand({ field, list, entries, layout, selection });

  // The entry in the Tab order stays drawn wherever the page is scrolled to.
  const drawn = entries.flatMap((entry, index) =>
    (index >= near.first && index < near.last) || index === items.active ? [{ entry, index }] : [],
  );
  return (
    <div ref={field} className={styles.field}>
      <div
        role="grid"
        aria-label={t('explorer.list.label')}
        aria-rowcount={count + 1}
        aria-multiselectable="true"
        className={styles.list}
        style={{ '--cells': cells } as CSSProperties}
        data-selecting={selection.selecting || undefined}
      >
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className={styles.head}>
            <SelectAll selection={selection} entries={entries} />
            <ColumnHead by="name" />
            {columns.map((column) => (
              <ColumnHead key={column} by={column === 'kind' ? 'type' : column} />
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
          style={{ height: layout.height }}
          onKeyDown={items.keys}
        >
          {drawn.map(({ entry, index }) => (
            <div
              key={entry.path}
              role="row"
              aria-rowindex={index + 2}
              className={styles.line}
              style={{ height, transform: `translateY(${index * height}px)` }}
              {...items.item(entry, index)}
            >
              <span role="gridcell" className={styles.check}>
                <EntryCheck entry={entry} selection={selection} />
              </span>
              <span role="gridcell" className={styles.name}>
                <span className={styles.hold} {...items.hold(entry)}>
                  <EntryIcon entry={entry} />
                  <EntryLink path={path} entry={entry} />
                </span>
                <EntryMark entry={entry} marks={marks} onMark={onMark} />
              </span>
              <EntryFigures entry={entry} columns={columns} size={sizes.get(entry.path)} />
              <span role="gridcell" className={styles.more}>
                <EntryMore entry={entry} active={index === items.active} onMenu={onMenu} />
              </span>
            </div>
          ))}
          <Band box={band} />
        </div>
      </div>
    </div>
  );
}

interface EntryFiguresProps {
  entry: Entry;
  columns: readonly Column[];
  /** size of a folder that was summed up. */
  size: string | undefined;
}

function EntryFigures({ entry, columns, size }: EntryFiguresProps) {
  const t = useT();
  const language = useLanguage();
  const figure: Record<Column, () => ReactNode> = {
    kind: () => kindWord(entry, t),
    size: () => size ?? (typeof entry.size === 'number' ? formatSize(entry.size, language) : ''),
    modified: () => entry.modified && <Time value={entry.modified} />,
  };
  return columns.map((column) => (
    <span key={column} role="gridcell" className={styles[column]}>
      {figure[column]()}
    </span>
  ));
}

function ColumnHead({ by }: { by: SortBy }) {
  const t = useT();
  const { sort } = useTaste();
  const [column, order] = sort.split(' ');
  const sorted = column === by ? order : undefined;
  return (
    <span
      role="columnheader"
      className={styles[by === 'type' ? 'kind' : by]}
      aria-sort={sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : 'none'}
    >
      <button type="button" className={styles.sort} onClick={() => setTaste({ sort: nextSort(sort, by) })}>
        {t(`explorer.list.${by === 'type' ? 'kind' : by}`)}
        {sorted === 'asc' && <ArrowUp size={14} />}
        {sorted === 'desc' && <ArrowDown size={14} />}
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

/** useLineHeight is the height of a line in px: more where fingers touch it. */
const useLineHeight = () => (useMedia('(pointer: coarse)') ? 56 : 44);
