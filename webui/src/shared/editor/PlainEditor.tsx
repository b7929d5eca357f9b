import { useCallback, useEffect, useRef } from 'react';
import { Skeleton } from '../ui';
import { longText, type EditorProps } from './editor';
import styles from './editor.module.css';

/** PlainEditor is a textarea: nothing to load, nothing rendered, Tab leaves it. */
export function PlainEditor({
  text,
  onText,
  onReady,
  caret,
  label,
  placeholder,
  invalid,
  describedBy,
}: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    onReady({
      focus: () => area.current?.focus(),
      text: () => area.current?.value ?? '',
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
      goTo(position) {
        area.current?.focus();
        area.current?.setSelectionRange(position, position);
      },
    });
    return () => onReady(undefined);
  }, [onReady, onText]);

  const hold = useCallback(
    (field: HTMLTextAreaElement | null) => {
      area.current = field;
      if (!field || !caret) return;
      const before = caret.take();
      if (before) field.setSelectionRange(before.anchor, before.head);
      if (before?.focused) field.focus({ preventScroll: true });
      // Before the field leaves the page: afterwards nothing would be known of its caret.
      return () =>
        caret.keep({
          focused: document.activeElement === field,
          anchor: field.selectionStart,
          head: field.selectionEnd,
        });
    },
    [caret],
  );

  return (
    <textarea
      ref={hold}
      className={styles.plain}
      dir="auto"
      value={text}
      aria-label={label}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      placeholder={placeholder}
      onChange={(event) => onText(event.target.value)}
    />
  );
}

/** EditorLoading stands where an editor is fetched: a field to write in already, or the place of a text that a browser would lay out for seconds. */
export function EditorLoading(props: EditorProps) {
  if (props.text.length < longText) return <PlainEditor {...props} />;
  return (
    <div className={styles.plain}>
      <Skeleton lines={8} />
    </div>
  );
}
