import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { Compartment, EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import { cspNonce } from '../../../config';
import { useLatest } from '../../../hooks/useLatest';
import { useT } from '../../../i18n';
import { colours } from './colours';
import styles from './edit.module.css';
import { folding } from './folding';

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '0.875rem', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { padding: 'var(--space-3) 0', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--wash)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
});

interface CodeEditorProps {
  /** text the editor begins with; a new `key` makes it begin anew. */
  text: string;
  /** lineBreak separates the lines. */
  lineBreak: string;
  /** language is a file extension. */
  language: string;
  wrap: boolean;
  label: string;
  describedBy: string;
  /** onReady is given the editor, and undefined when it goes. */
  onReady: (view: EditorView | undefined) => void;
  /** onChange is told that the text or the view has changed. */
  onChange: (view: EditorView, edited: boolean) => void;
  /** keys are the page's own commands, by CodeMirror's names of keys. */
  keys: Record<string, () => void>;
}

/** CodeEditor is CodeMirror for files: line numbers, colours, folding, every kind of line break kept as it is. */
export default function CodeEditor(props: CodeEditorProps) {
  const { text, lineBreak, language, wrap, label, describedBy, onReady } = props;
  const t = useT();
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const wrapping = useRef(new Compartment());
  const naming = useRef(new Compartment());
  const latest = useLatest(props);

  const word = useEffectEvent((key: string) => t(`explorerEdit.folds.${key}`));

  useEffect(() => {
    if (!host.current) return;
    const own = Object.keys(latest.current.keys).map((key) => ({
      key,
      preventDefault: true,
      run: () => {
        latest.current.keys[key]?.();
        return true;
      },
    }));
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorState.lineSeparator.of(lineBreak),
          history(),
          drawSelection(),
          lineNumbers(),
          folding((key) => word(key)),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          theme,
          colours(language),
          EditorView.cspNonce.of(cspNonce()),
          keymap.of([...own, ...historyKeymap, indentWithTab, ...defaultKeymap]),
          wrapping.current.of([]),
          naming.current.of([]),
          EditorView.updateListener.of((update) => latest.current.onChange(update.view, update.docChanged)),
        ],
      }),
    });
    view.current = editor;
    onReady(editor);
    return () => {
      onReady(undefined);
      editor.destroy();
      view.current = undefined;
    };
  }, [text, lineBreak, language, onReady, latest]);

  useEffect(() => {
    view.current?.dispatch({
      effects: [
        wrapping.current.reconfigure(wrap ? EditorView.lineWrapping : []),
        naming.current.reconfigure(
          EditorView.contentAttributes.of({
            'aria-label': label,
            'aria-describedby': describedBy,
            tabindex: '0',
          }),
        ),
      ],
    });
  }, [wrap, label, describedBy, text, lineBreak, language]);

  return <div ref={host} className={styles.code} />;
}
