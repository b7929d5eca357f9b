import { Fragment, type ReactNode } from 'react';
import styles from './Menu.module.css';

export interface MenuItem {
  label: string;
  icon?: ReactNode;
  run: () => void;
  /** asks ends the label with "…": a dialog asks for more before anything is done. */
  asks?: boolean;
  /** apart begins a group: a line stands above it, unless it is the first. */
  apart?: boolean;
  /** checked makes the item one of a set of choices. */
  checked?: boolean;
  /** lang is the language of the label when it differs from the page's. */
  lang?: string;
  danger?: boolean;
}

/** grouped puts groups of items one below the other, with a line between them; what is false is left out. */
export const grouped = (...groups: readonly (readonly (MenuItem | false)[])[]): MenuItem[] =>
  groups.flatMap((group) =>
    group
      .filter((item) => item !== false)
      .map((item, index) => (index === 0 ? { ...item, apart: true } : item)),
  );

/** MenuItems are the items of an open menu; `onChosen` is called before what was chosen runs. */
export function MenuItems({ items, onChosen }: { items: readonly MenuItem[]; onChosen: () => void }) {
  return items.map((item, index) => (
    <Fragment key={item.label}>
      {item.apart && index > 0 && <hr className={styles.line} />}
      <button
        type="button"
        role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
        aria-checked={item.checked}
        lang={item.lang}
        tabIndex={-1}
        className={`${styles.item} ${item.danger ? styles.danger : ''}`}
        onClick={() => {
          onChosen();
          item.run();
        }}
      >
        {item.icon}
        <span>
          {item.label}
          {item.asks && '…'}
        </span>
      </button>
    </Fragment>
  ));
}
