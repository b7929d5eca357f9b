import { useCallback, useRef, type KeyboardEvent } from 'react';
import { useListener } from '../../hooks/useListener';
import styles from './Menu.module.css';
import { MenuItems, type MenuItem } from './MenuItems';
import { menuTarget } from './menuKeys';

interface PointMenuProps {
  label: string;
  items: readonly MenuItem[];
  /** at is where in the window, in px. */
  at: { x: number; y: number };
  onClose: () => void;
}

/** PointMenu is a menu where the pointer is; it stays inside the window and gives the focus back. */
export function PointMenu({ label, items, at, onClose }: PointMenuProps) {
  const ref = useRef<HTMLDivElement>(null);
  const opener = useRef<Element>(null);

  const place = useCallback(
    (menu: HTMLDivElement | null) => {
      ref.current = menu;
      if (!menu) return;
      const { width, height } = menu.getBoundingClientRect();
      const edge = 8;
      menu.style.left = `${Math.max(edge, Math.min(at.x, innerWidth - width - edge))}px`;
      menu.style.top = `${Math.max(edge, Math.min(at.y, innerHeight - height - edge))}px`;
      opener.current ??= document.activeElement;
      menu.querySelector<HTMLElement>('[role="menuitem"]')?.focus({ preventScroll: true });
    },
    [at],
  );

  useListener('pointerdown', ({ target }) => {
    if (!(target instanceof Node && ref.current?.contains(target))) onClose();
  });
  useListener('scroll', onClose);
  useListener('resize', onClose);

  function back() {
    onClose();
    if (opener.current instanceof HTMLElement) opener.current.focus({ preventScroll: true });
  }

  function keys(event: KeyboardEvent) {
    const target = menuTarget(ref.current, event.key);
    if (target) target.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') back();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div
      ref={place}
      role="menu"
      aria-label={label}
      className={`${styles.menu} ${styles.atPoint}`}
      onKeyDown={keys}
    >
      <MenuItems items={items} onChosen={back} />
    </div>
  );
}
