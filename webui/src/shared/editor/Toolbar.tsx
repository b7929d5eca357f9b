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
}

export interface ToolbarProps {
  /** onImport and onClear bring their buttons along. */
  onImport?: (file: File) => void;
  onClear?: () => void;
}

/** Toolbar is one tab stop; arrow keys move inside. The given tools stand before Import and Clear. */
export function Toolbar({ tools = [], onImport, onClear }: ToolbarProps & { tools?: readonly Tool[] }) {
  const t = useT();
  const bar = useRef<HTMLDivElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [stop, setStop] = useState(0);
  const count = tools.length + (onImport ? 1 : 0) + (onClear ? 1 : 0);
  const current = Math.min(stop, count - 1);

  function keys(event: KeyboardEvent) {
    const next = {
      ArrowRight: (current + 1) % count,
      ArrowLeft: (current - 1 + count) % count,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setStop(next);
    bar.current?.querySelectorAll('button')[next]?.focus();
  }

  const place = (label: string, at: number) => ({
    label,
    tabIndex: at === current ? 0 : -1,
    onFocus: () => setStop(at),
  });

  return (
    <>
      <div
        ref={bar}
        className={styles.toolbar}
        role="toolbar"
        aria-label={t('home.toolbar.label')}
        onKeyDown={keys}
      >
        {tools.map(({ key, label, icon: Icon, run }, at) => (
          <IconButton key={key} {...place(label, at)} onClick={run}>
            <Icon size={18} aria-hidden="true" />
          </IconButton>
        ))}
        {onImport && (
          <IconButton
            {...place(t('home.toolbar.import'), tools.length)}
            onClick={() => picker.current?.click()}
          >
            <FileInput size={18} aria-hidden="true" />
          </IconButton>
        )}
        {onClear && (
          <IconButton {...place(t('home.toolbar.clear'), count - 1)} onClick={onClear}>
            <Eraser size={18} aria-hidden="true" />
          </IconButton>
        )}
      </div>
      <input
        ref={picker}
        type="file"
        hidden
        accept=".md,.markdown,.mdown,.mkd,.txt,text/*"
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = '';
          if (file) onImport?.(file);
        }}
      />
    </>
  );
}
