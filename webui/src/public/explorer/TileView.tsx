import { useMemo, useRef } from 'react';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Band } from './Band';
import { EntryCheck, EntryMark, EntryMore } from './EntryControls';
import { EntryLink } from './EntryLink';
import styles from './explorer.module.css';
import { gridLayout } from './layout';
import type { ListingViewProps } from './listingView';
import { Thumb } from './Thumb';
import { useItems } from './useItems';
import { useRubberBand } from './useRubberBand';
import { useWidth } from '../../hooks/useWidth';
import { useWindow } from '../../hooks/useWindow';

/** Least width of a tile and height of a line of tiles with its gap, in px. */
const tile = { width: 160, height: 196, gap: 12 };

/** TileView shows a folder as tiles in lines; pictures show themselves. */
export function TileView(props: ListingViewProps) {
  const { path, entries, selection, onMenu, sizes, marks, onMark } = props;
  const t = useT();
  const language = useLanguage();
  const field = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const width = useWidth(list);
  const columns = Math.max(2, Math.floor(width / tile.width));
  const count = entries.length;
  const layout = useMemo(
    () => gridLayout({ count, columns, width, pitch: tile.height, gap: tile.gap }),
    [count, columns, width],
  );
  const lines = Math.ceil(count / columns);
  const near = useWindow(list, lines, tile.height);
  const items = useItems(props, list, layout);
  const band = useRubberBand({ field, list, entries, layout, selection });
  const activeLine = Math.floor(items.active / columns);

  const drawn = Array.from({ length: lines }, (_, line) => line).filter(
    (line) => (line >= near.first && line < near.last) || line === activeLine,
  );
  return (
    <div ref={field} className={styles.field}>
      <div
        role="grid"
        ref={list}
        aria-label={t('explorer.list.label')}
        aria-rowcount={lines}
        aria-colcount={columns}
        aria-multiselectable="true"
        className={styles.tiles}
        data-selecting={selection.selecting || undefined}
        style={{ height: layout.height }}
        onKeyDown={items.keys}
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
                <div key={entry.path} role="gridcell" className={styles.tile} {...items.item(entry, index)}>
                  <EntryCheck entry={entry} selection={selection} className={styles.tileCheck} />
                  <span className={styles.tileBody} {...items.hold(entry)}>
                    <Thumb entry={entry} />
                    <EntryLink path={path} entry={entry} />
                  </span>
                  <span className={styles.tileSize}>
                    {sizes.get(entry.path) ??
                      (typeof entry.size === 'number' ? formatSize(entry.size, language) : '')}
                    <EntryMark entry={entry} marks={marks} onMark={onMark} />
                  </span>
                  <span className={styles.tileMore}>
                    <EntryMore entry={entry} active={index === items.active} onMenu={onMenu} />
                  </span>
                </div>
              );
            })}
          </div>
        ))}
        <Band box={band} />
      </div>
    </div>
  );
}
