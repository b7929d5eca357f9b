import { useRef, type KeyboardEvent } from 'react';
import styles from './Tabs.module.css';

interface TabsProps<V extends string> {
  label: string;
  value: V;
  onChange: (value: V) => void;
  tabs: readonly { value: V; label: string }[];
  /** id begins the ids of the tabs and of their panels, see tabPanel. */
  id: string;
}

/** Tabs chooses one of several panels, with the keys of the ARIA tab pattern. */
export function Tabs<V extends string>({ label, value, onChange, tabs, id }: TabsProps<V>) {
  const list = useRef<HTMLDivElement>(null);

  function keys(event: KeyboardEvent) {
    const at = tabs.findIndex((tab) => tab.value === value);
    const next = {
      ArrowRight: tabs[(at + 1) % tabs.length],
      ArrowLeft: tabs[(at - 1 + tabs.length) % tabs.length],
      Home: tabs[0],
      End: tabs.at(-1),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    onChange(next.value);
    list.current?.querySelector<HTMLElement>(`#${id}-${next.value}`)?.focus();
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
          tabIndex={tab.value === value ? 0 : -1}
          onClick={() => onChange(tab.value)}
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
