import { useRef, type KeyboardEvent } from 'react';
import styles from './Tabs.module.css';

interface TabsProps<V extends string> {
  label: string;
  value: V;
  onChange: (value: V) => void;
  /** A tab that is off can be heard of, but not chosen. */
  tabs: readonly { value: V; label: string; off?: boolean }[];
  /** id begins the ids of the tabs and of their panels, see tabPanel. */
  id: string;
}

/** Tabs chooses one of several panels, with the keys of the ARIA tab pattern. */
export function Tabs<V extends string>({ label, value, onChange, tabs, id }: TabsProps<V>) {
  const list = useRef<HTMLDivElement>(null);

  function keys(event: KeyboardEvent) {
    const open = tabs.filter((tab) => !tab.off);
    const at = open.findIndex((tab) => tab.value === value);
    const next = {
      ArrowRight: open[(at + 1) % open.length],
      ArrowLeft: open[(at - 1 + open.length) % open.length],
      Home: open[0],
      End: open.at(-1),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    onChange(next.value);
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${next.value}`)}`)?.focus();
  }

  return (
    <div ref={list} className={styles.tabs} role="tablist" aria-label={label} onKeyDown={keys}>
      {tabs.map((tab) => (
        <button
          key={tab.value}
          id={`${id}-${tab.value}`}
          type="button"
          role="tab"
          className={styles.tab}
          aria-selected={tab.value === value}
          aria-controls={`${id}-${tab.value}-panel`}
          aria-disabled={tab.off || undefined}
          tabIndex={tab.value === value ? 0 : -1}
          onClick={() => tab.off || onChange(tab.value)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}

/** tabPanel are the attributes of the panel of a tab. */
export const tabPanel = (id: string, tab: string, value: string) => ({
  id: `${id}-${tab}-panel`,
  role: 'tabpanel',
  'aria-labelledby': `${id}-${tab}`,
  hidden: tab !== value,
});
