import { lazy, Suspense, useId, useState, type ComponentProps } from 'react';
import type { Menu } from './Menu';
import styles from './LazyMenu.module.css';

const Loaded = lazy(() => import('./Menu').then((module) => ({ default: module.Menu })));

/** LazyMenu shows the opener at once and loads the menu when someone asks for it, which opens it. */
export function LazyMenu(props: ComponentProps<typeof Menu>) {
  const [asked, setAsked] = useState(props.openAtFirst ?? false);
  const id = useId();
  const closed = (
    <div className={styles.root}>
      {props.button({
        'aria-haspopup': 'menu',
        'aria-expanded': false,
        'aria-controls': id,
        onClick: () => setAsked(true),
      })}
    </div>
  );
  if (!asked) return closed;
  return (
    <Suspense fallback={closed}>
      <Loaded {...props} openAtFirst />
    </Suspense>
  );
}
