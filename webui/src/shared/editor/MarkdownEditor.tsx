import { defaultKeymap, history, historyKeymap, indentWithTab, redo, undo } from '@codemirror/commands';
import { defineLanguageFacet, HighlightStyle, Language, syntaxHighlighting } from '@codemirror/language';
import { Annotation, Compartment, EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  keymap,
  placeholder as placeholderText,
  type KeyBinding,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { GFM, parser } from '@lezer/markdown';
import { useCallback, useEffect, useRef } from 'react';
import { cspNonce } from '../../config';
import { useLatest } from '../../hooks/useLatest';
import { directed } from './directed';
import { longText, parsedUpTo, type EditorProps } from './editor';
import styles from './editor.module.css';
import { instant } from './instant';
import { keyedMarks, type Mark } from './marks';

// Bare @lezer/markdown: the editor's own Markdown package would bring grammars of HTML, CSS and scripts along.
const markdown = new Language(defineLanguageFacet(), parser.configure(GFM), [], 'markdown');

// Colours are variables, so a change of theme leaves caret, selection and history alone.
const look = HighlightStyle.define([
  { tag: tags.heading1, fontWeight: '700', fontSize: '1.25em' },
  { tag: tags.heading2, fontWeight: '700', fontSize: '1.12em' },
  { tag: tags.heading, fontWeight: '700' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: tags.monospace, fontFamily: 'var(--mono)', color: 'var(--warn)' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], color: 'var(--muted)' },
  { tag: tags.quote, color: 'var(--muted)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '1rem', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '0.9375rem', lineHeight: '1.65' },
  '.cm-content': { padding: 'var(--space-4)', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
});

/** fromOutside marks changes that the page made, so that they are not reported back to it. */
const fromOutside = Annotation.define<boolean>();

function apply(editor: EditorView, mark: Mark) {
  const { from, to } = editor.state.selection.main;
  const edit = mark(editor.state.doc.toString(), from, to);
  editor.dispatch({
    changes: { from: edit.from, to: edit.to, insert: edit.insert },
    selection: { anchor: edit.anchor, head: edit.head },
    scrollIntoView: true,
    userEvent: 'input.format',
  });
}

const markKeys: KeyBinding[] = Object.values(keyedMarks).map(({ keys, mark }) => ({
  key: keys,
  run(editor) {
    apply(editor, mark);
    return true;
  },
}));

/** takeCaret puts the caret where it was in the editor before this one. */
function takeCaret(editor: EditorView, caret: EditorProps['caret']) {
  const before = caret?.take();
  if (!before) return;
  const within = (position: number) => Math.min(position, editor.state.doc.length);
  editor.dispatch({
    selection: { anchor: within(before.anchor), head: within(before.head) },
    scrollIntoView: true,
  });
  if (before.focused) editor.focus();
}

/** topLine is the line at the top of the window, with the fraction of it that is out of sight. */
function topLine(editor: EditorView): number {
  const { scrollTop, scrollHeight, clientHeight } = editor.scrollDOM;
  if (scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 2) return Infinity;
  const height = Math.max(0, scrollTop - editor.documentPadding.top);
  const block = editor.lineBlockAtHeight(height);
  const part = block.height > 0 ? (height - block.top) / block.height : 0;
  return editor.state.doc.lineAt(block.from).number + Math.min(0.99, Math.max(0, part));
}

function showLine(editor: EditorView, line: number) {
  const { doc } = editor.state;
  const number = Math.min(doc.lines, Math.max(1, Math.floor(line)));
  const block = editor.lineBlockAt(doc.line(number).from);
  editor.scrollDOM.scrollTop =
    line === Infinity
      ? editor.scrollDOM.scrollHeight
      : editor.documentPadding.top + block.top + (line - number) * block.height;
}

/** How the editor shows what is written: as it is, in Markdown's colours, or with the marks hidden. */
export type Look = 'plain' | 'source' | 'instant';

const looks = {
  plain: [],
  source: [markdown, syntaxHighlighting(look)],
  instant: [markdown, syntaxHighlighting(look), instant],
};

/** Milliseconds without a key until the page is told of a change in a long text, which takes longer than a key may. */
const toldAfter = 400;

/** MarkdownEditor is CodeMirror, for Markdown and for texts that are too long for a text field. Escape, then Tab, leaves it. */
export default function MarkdownEditor(props: EditorProps & { look?: Look }) {
  const {
    text,
    onText,
    onReady,
    onScroll,
    label,
    placeholder,
    invalid,
    describedBy,
    caret,
    patient = false,
  } = props;
  const look = text.length > parsedUpTo ? 'plain' : (props.look ?? 'source');
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const attributes = useRef(new Compartment());
  const shown = useRef(new Compartment());
  // The text as the page knows it, so that a text of ten megabytes is not compared at every key.
  const known = useRef(text);
  const latest = useLatest({ text, onText, onScroll, look, patient });

  useEffect(() => {
    if (!host.current) return;
    let untold: ReturnType<typeof setTimeout> | undefined;
    const tell = () => {
      clearTimeout(untold);
      untold = undefined;
      known.current = editor.state.doc.toString();
      latest.current.onText(known.current);
    };
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: (known.current = latest.current.text),
        extensions: [
          history(),
          drawSelection(),
          shown.current.of(looks[latest.current.look]),
          theme,
          EditorView.lineWrapping,
          directed,
          EditorView.cspNonce.of(cspNonce()),
          keymap.of([...markKeys, ...historyKeymap, indentWithTab, ...defaultKeymap]),
          attributes.current.of([]),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            clearTimeout(untold);
            untold = undefined;
            if (update.transactions.some((change) => change.annotation(fromOutside))) return;
            if (!latest.current.patient || update.state.doc.length < longText) tell();
            else untold = setTimeout(tell, toldAfter);
          }),
        ],
      }),
    });
    // Until when the editor scrolls because the preview does, which it must not lead in turn.
    let follows = 0;
    editor.scrollDOM.addEventListener(
      'scroll',
      () => {
        if (performance.now() > follows) latest.current.onScroll?.(topLine(editor));
      },
      { passive: true },
    );
    view.current = editor;
    takeCaret(editor, caret);
    onReady({
      focus: () => editor.focus(),
      apply(mark) {
        apply(editor, mark);
        editor.focus();
      },
      text() {
        if (untold !== undefined) tell();
        return known.current;
      },
      goTo(position) {
        const anchor = Math.min(position, editor.state.doc.length);
        editor.dispatch({
          selection: { anchor },
          effects: EditorView.scrollIntoView(anchor, { y: 'start', yMargin: 24 }),
        });
        editor.focus();
      },
      showLine(line) {
        follows = performance.now() + 150;
        showLine(editor, line);
      },
      undo: () => void undo(editor),
      redo: () => void redo(editor),
    });
    return () => {
      if (untold !== undefined) tell();
      onReady(undefined);
      editor.destroy();
      view.current = undefined;
    };
  }, [onReady, caret, latest]);

  const place = useCallback(
    (element: HTMLDivElement | null) => {
      host.current = element;
      // Before the editor leaves the page, while it still has the focus.
      return () => {
        if (!caret || !view.current) return;
        const { anchor, head } = view.current.state.selection.main;
        caret.keep({ focused: view.current.hasFocus, anchor, head });
      };
    },
    [caret],
  );

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    editor.dispatch({
      effects: [
        attributes.current.reconfigure([
          placeholderText(placeholder),
          EditorView.contentAttributes.of({
            'aria-label': label,
            'aria-describedby': describedBy,
            tabindex: '0',
            ...(invalid && { 'aria-invalid': 'true' }),
          }),
        ]),
        shown.current.reconfigure(looks[look]),
      ],
    });
  }, [label, placeholder, describedBy, invalid, look]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || known.current === text) return;
    known.current = text;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: text },
      annotations: fromOutside.of(true),
    });
  }, [text]);

  return <div ref={place} className={styles.code} />;
}
