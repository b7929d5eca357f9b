import { Ellipsis } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { IconButton } from '../../shared/ui';
import { EntryIcon } from './EntryIcon';
import { EntryLink } from './EntryLink';
import styles from './explorer.module.css';
import type { ListingViewProps } from './listingView';
import { useGridKeys } from './useGridKeys';
import { useLongPress } from './useLongPress';
import { isSelectable } from './useSelection';
import { useWindow } from './useWindow';

/** Least width of a tile and height of a line of tiles with its gap, in px. */
const tile = { width: 160, height: 172 };

/** TileView shows a folder as tiles in lines. */
export function TileView({
  path,
  entries,
  selection,
  actions,
  onMenu,
  startAt,
  focusAtStart,
}: ListingViewProps) {
  const t = useT();
  const language = useLanguage();
  const list = useRef<HTMLDivElement>(null);
  const columns = useColumns(list);
  const lines = Math.ceil(entries.length / columns);
  const near = useWindow(list, lines, tile.height);
  const grid = useGridKeys({
    list,
    entries,
    columns,
    height: tile.height,
    selection,
    actions,
    startAt,
    focusAtStart,
  });
  const press = useLongPress<Entry>(onMenu);
  const activeLine = Math.floor(grid.active / columns);

  const drawn = Array.from({ length: lines }, (_, line) => line).filter(
    (line) => (line >= near.first && line < near.last) || line === activeLine,
  );
  return (
    <div
      role="grid"
      ref={list}
      aria-label={t('explorer.list.label')}
      aria-rowcount={lines}
      aria-colcount={columns}
      aria-multiselectable="true"
      className={styles.tiles}
      data-selecting={selection.selecting || undefined}
      style={{ height: lines * tile.height }}
      onKeyDown={grid.keys}
    >
      {drawn.map((line) => (
        <div
          key={line}
          role="row"
          aria-rowindex={line + 1}
          className={styles.tileLine}
          style={{
            transform: `translateY(${line * tile.height}px)`,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          }}
        >
          {entries.slice(line * columns, (line + 1) * columns).map((entry, at) => {
            const index = line * columns + at;
            return (
              <div
                key={entry.path}
                role="gridcell"
                aria-selected={isSelectable(entry) ? selection.has(entry) : undefined}
                className={styles.tile}
                {...grid.item(entry, index)}
                {...press(entry)}
              >
                {isSelectable(entry) && (
                  <input
                    type="checkbox"
                    tabIndex={-1}
                    className={styles.tileCheck}
                    checked={selection.has(entry)}
                    aria-label={t('explorer.list.select', { name: entry.name })}
                    onChange={() => selection.toggle(entry)}
                  />
                )}
                <EntryIcon entry={entry} size={40} />
                <EntryLink path={path} entry={entry} />
                <span className={styles.tileSize}>
                  {typeof entry.size === 'number' ? formatSize(entry.size, language) : ''}
                </span>
                <span className={styles.tileMore}>
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
            );
          })}
        </div>
      ))}
    </div>
  );
}

/** useColumns is how many tiles fit side by side. */
function useColumns(list: React.RefObject<HTMLElement | null>): number {
  const [columns, setColumns] = useState(() =>
    Math.max(2, Math.floor((Math.min(innerWidth, 1280) - 32) / tile.width)),
  );
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const observer = new ResizeObserver(([seen]) => {
      if (seen) setColumns(Math.max(2, Math.floor(seen.contentRect.width / tile.width)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [list]);
  return columns;
}
