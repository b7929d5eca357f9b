import { useEffect, useRef } from 'react';
import type { EditorProps } from './editor';
import styles from './editor.module.css';

/** PlainEditor is a textarea: nothing to load, nothing rendered, Tab leaves it. */
export function PlainEditor({
  text,
  onText,
  onReady,
  label,
  placeholder,
  invalid,
  describedBy,
}: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    onReady({
      focus: () => area.current?.focus(),
      apply(mark) {
        const field = area.current;
        if (!field) return;
        const edit = mark(field.value, field.selectionStart, field.selectionEnd);
        field.focus();
        field.setSelectionRange(edit.from, edit.to);
        field.setRangeText(edit.insert);
        field.setSelectionRange(edit.anchor, edit.head);
        onText(field.value);
      },
      undo: () => undefined,
      redo: () => undefined,
    });
    return () => onReady(undefined);
  }, [onReady, onText]);

  return (
    <textarea
      ref={area}
      className={styles.plain}
      value={text}
      aria-label={label}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      placeholder={placeholder}
      onChange={(event) => onText(event.target.value)}
    />
  );
}
