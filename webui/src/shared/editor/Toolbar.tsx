import { Eraser, FileInput, type LucideIcon } from 'lucide-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useT } from '../../i18n';
import { IconButton } from '../ui';
import styles from './editor.module.css';

/** Tool is a button of the toolbar. */
export interface Tool {
  key: string;
  label: string;
  icon: LucideIcon;
  run: () => void;
  /** pressed makes the button a switch. */
  pressed?: boolean;
  /** refused says that the tool cannot be used now; its label then tells why. */
  refused?: boolean;
  /** starts begins a group, apart from the tools before it. */
  starts?: boolean;
}

export interface ToolbarProps {
  /** onImport and onClear bring their buttons along. */
  onImport?: (files: File[]) => void;
  onClear?: () => void;
}

// Import opens the picker, which belongs to the toolbar itself.
const nothing = () => undefined;

/** Toolbar is one tab stop; arrow keys move inside. The given tools stand between Import and Clear. */
export function Toolbar({ tools = [], onImport, onClear }: ToolbarProps & { tools?: readonly Tool[] }) {
  const t = useT();
  const bar = useRef<HTMLDivElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [stop, setStop] = useState(0);
  const all: Tool[] = [
    // First, so that it is in sight where only a few tools are.
    ...(onImport ? [{ key: 'import', label: t('home.toolbar.import'), icon: FileInput, run: nothing }] : []),
    ...tools,
    ...(onClear ? [{ key: 'clear', label: t('home.toolbar.clear'), icon: Eraser, run: onClear }] : []),
  ];
  const current = Math.min(stop, all.length - 1);

  function keys(event: KeyboardEvent) {
    const next = {
      ArrowRight: (current + 1) % all.length,
      ArrowLeft: (current - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setStop(next);
    bar.current?.querySelectorAll('button')[next]?.focus();
  }

  return (
    <>
      <div
        ref={bar}
        className={styles.toolbar}
        role="toolbar"
        aria-label={t('home.toolbar.label')}
        onKeyDown={keys}
      >
        {all.map(({ key, label, icon: Icon, run, pressed, refused, starts }, at) => (
          <IconButton
            key={key}
            label={label}
            tabIndex={at === current ? 0 : -1}
            aria-pressed={pressed}
            aria-disabled={refused || undefined}
            className={starts && at > 0 ? styles.starts : ''}
            onFocus={() => setStop(at)}
            onClick={refused ? undefined : key === 'import' ? () => picker.current?.click() : run}
          >
            <Icon size={18} />
          </IconButton>
        ))}
      </div>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = '';
          onImport?.(files);
        }}
      />
    </>
  );
}
