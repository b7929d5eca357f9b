import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useListener } from '../../hooks/useListener';
import frame from './LazyMenu.module.css';
import { MenuItems, type MenuItem } from './MenuItems';
import { menuTarget } from './menuKeys';
import styles from './Menu.module.css';

interface MenuProps {
  /** button renders the opener and must spread the given attributes onto a button. */
  button: (attributes: {
    'aria-haspopup': 'menu';
    'aria-expanded': boolean;
    'aria-controls': string;
    onClick: () => void;
  }) => ReactNode;
  label: string;
  items: readonly MenuItem[];
  /** openAtFirst shows the items at once, for a menu that is fetched when it is asked for. */
  openAtFirst?: boolean;
}

/** enter brings an opened list into the window and the focus into the list. */
function enter(list: HTMLElement | null) {
  if (!list) return;
  // It hangs from the button's right edge; near the window's left edge it moves in.
  list.style.right = '';
  list.style.right = `${Math.min(0, list.getBoundingClientRect().left - 8)}px`;
  list.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
}

/** Menu is a drop-down of actions with the keys of the ARIA menu pattern. */
export function Menu({ button, label, items, openAtFirst = false }: MenuProps) {
  const [open, setOpen] = useState(openAtFirst);
  const id = useId();
  const root = useRef<HTMLDivElement>(null);

  useListener(
    'pointerdown',
    ({ target }) => {
      if (target instanceof Node && !root.current?.contains(target)) setOpen(false);
    },
    open,
  );

  function close() {
    setOpen(false);
    root.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus();
  }

  function keys(event: KeyboardEvent) {
    const target = menuTarget(root.current, event.key);
    if (target) {
      event.preventDefault();
      target.focus();
    }
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    }
    if (event.key === 'Tab') setOpen(false);
  }

  return (
    <div className={frame.root} ref={root}>
      {button({
        'aria-haspopup': 'menu',
        'aria-expanded': open,
        'aria-controls': id,
        onClick: () => setOpen(!open),
      })}
      <div
        ref={open ? enter : undefined}
        className={styles.menu}
        id={id}
        role="menu"
        aria-label={label}
        hidden={!open}
        onKeyDown={keys}
      >
        <MenuItems items={items} onChosen={close} />
      </div>
    </div>
  );
}
