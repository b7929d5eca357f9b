import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentUnit } from '@codemirror/language';
import { lintGutter, nextDiagnostic, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { Compartment, EditorState, RangeSet, StateEffect, StateField, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  gutter,
  GutterMarker,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import type { Coverage, Problem, Rules } from '../../api/admin/operations';
import { cspNonce } from '../../config';
import { useT } from '../../i18n';
import { functionsOf, offerAt, type Builtin, type Suggestion } from './completion';
import { rego } from './rego';
import styles from './rego.module.css';

const theme = EditorView.theme({
  '&': { fontSize: '0.875rem', backgroundColor: 'var(--surface)', minHeight: '20rem', maxHeight: '70vh' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { padding: 'var(--space-2) 0', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--wash) 60%, transparent)',
  },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--wash)', outline: '1px solid var(--accent)' },
  '.cm-lintRange': { backgroundImage: 'none' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--danger)', textUnderlineOffset: '3px' },
  '.cm-gutter-lint': { width: '1.1em' },
  '.cm-lint-marker': { width: '0.7em', height: '0.7em', content: '""', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: '""', background: 'var(--danger)' },
  '.cm-tooltip': {
    background: 'var(--surface)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '14em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px var(--space-2)', minHeight: '24px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--wash)',
    color: 'var(--ink)',
    outline: '1px solid var(--accent)',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-tooltip.cm-completionInfo': { padding: 'var(--space-2)', maxWidth: '36ch' },
  '.cm-diagnostic': { padding: 'var(--space-1) var(--space-2)', maxWidth: '60ch', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--danger)' },
});

/** A mark beside a line that was evaluated, or was not; gutters are for the eye only. */
class Evaluated extends GutterMarker {
  constructor(
    private readonly yes: boolean,
    private readonly title: string,
  ) {
    super();
    this.elementClass = (yes ? styles.evaluated : styles.skipped) ?? '';
  }

  override toDOM() {
    const mark = document.createElement('span');
    mark.textContent = this.yes ? '✓' : '·';
    mark.title = this.title;
    return mark;
  }
}

const setEvaluated = StateEffect.define<RangeSet<GutterMarker>>();
const evaluated = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(marks, change) {
    for (const effect of change.effects) if (effect.is(setEvaluated)) return effect.value;
    return marks.map(change.changes);
  },
});

/** offsetOf is where a row and a column are, both from 1; beyond the end of a line, that end. */
function offsetOf(doc: Text, row: number, column: number): number {
  const line = doc.line(Math.min(Math.max(1, row), doc.lines));
  return Math.min(line.to, line.from + Math.max(0, column - 1));
}

/** diagnosticOf marks the word at a problem, or what is left of the line. */
function diagnosticOf(doc: Text, { row, column, message }: Problem): Diagnostic {
  const line = doc.line(Math.min(Math.max(1, row), doc.lines));
  const at = offsetOf(doc, row, column);
  const from = at === line.to && at > line.from ? at - 1 : at;
  const word = /^[\w.]+/.exec(doc.sliceString(from, line.to))?.[0].length ?? 1;
  return { from, to: Math.min(line.to, from + word), severity: 'error', message };
}

let known: Promise<Suggestion[]> | undefined;

/** functions are what rules may call; the list comes with the first completion. */
function functions(): Promise<Suggestion[]> {
  known ??= import('../../../../policies/capabilities.json').then(({ default: { builtins } }) =>
    functionsOf(builtins as Builtin[]),
  );
  return known;
}

export interface RegoEditorProps {
  /** file names the text among `files`. */
  file: string;
  value: string;
  label: string;
  /** hint is the id of what tells more about the editor. */
  hint?: string;
  /** files are all rules, whose names are offered. */
  files: Rules;
  readOnly?: boolean;
  /** problems of all files. */
  problems?: readonly Problem[];
  /** place takes the caret, whenever it is another object. */
  place?: Pick<Problem, 'row' | 'column'> | undefined;
  /** coverage are the lines that were evaluated. */
  coverage?: Coverage | undefined;
  onText?: (text: string) => void;
}

/** RegoEditor is CodeMirror for one file of rules; a new `key` begins another file. */
export function RegoEditor(props: RegoEditorProps) {
  const { file, value, label, hint = '', readOnly = false, problems, place, coverage } = props;
  const t = useT();
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const fixed = useRef(new Compartment());
  const naming = useRef(new Compartment());

  const tell = useEffectEvent((text: string) => {
    if (text !== value) props.onText?.(text);
  });
  const complete = useEffectEvent((context: CompletionContext, functions: readonly Suggestion[]) => {
    const offer = offerAt(
      context.state.doc.toString(),
      context.pos,
      props.files,
      functions,
      context.explicit,
    );
    return offer
      ? {
          from: offer.from,
          options: offer.found.map(({ label: name, kind, about, description }) => ({
            label: name,
            type: kind,
            detail: about,
            ...(description && { info: description }),
          })),
        }
      : null;
  });
  const phrases = useEffectEvent(() => ({
    Completions: t('ops.policies.completions'),
    Diagnostics: t('ops.policies.report'),
  }));
  const first = useEffectEvent(() => value);

  useLayoutEffect(() => {
    if (!host.current) return;
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: first(),
        extensions: [
          history(),
          drawSelection(),
          lintGutter(),
          lineNumbers(),
          evaluated,
          gutter({ class: styles.gutter ?? '', markers: (one) => one.state.field(evaluated) }),
          bracketMatching(),
          closeBrackets(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          indentUnit.of('\t'),
          EditorState.tabSize.of(4),
          autocompletion({
            override: [
              async (context) => {
                const all = await functions();
                // The list follows at once what is written on: while it was asked for anew, Enter would begin a line.
                const offered = (at: CompletionContext): CompletionResult | null => {
                  const found = complete(at, all);
                  return found && { ...found, update: (_old, _from, _to, next) => offered(next) };
                };
                return offered(context);
              },
            ],
            icons: false,
            compareCompletions: () => 0,
            interactionDelay: 0,
          }),
          theme,
          rego,
          EditorView.cspNonce.of(cspNonce()),
          EditorState.phrases.of(phrases()),
          keymap.of([
            ...closeBracketsKeymap,
            ...completionKeymap,
            { key: 'Tab', run: acceptCompletion },
            { key: 'F8', run: nextDiagnostic },
            ...historyKeymap,
            indentWithTab,
            ...defaultKeymap,
          ]),
          fixed.current.of([]),
          naming.current.of([]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) tell(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
      view.current = undefined;
    };
  }, []);

  // What came from elsewhere, such as formatting, takes the place of the text.
  useEffect(() => {
    const editor = view.current;
    const written = editor?.state.doc.toString();
    if (editor && written !== value)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const { doc } = editor.state;
    const here = (problems ?? []).filter((problem) => problem.file === file);
    editor.dispatch(
      {
        effects: [
          fixed.current.reconfigure(readOnly ? [EditorState.readOnly.of(true)] : []),
          naming.current.reconfigure(
            EditorView.contentAttributes.of({
              'aria-label': label,
              spellcheck: 'false',
              autocapitalize: 'none',
              ...(hint && { 'aria-describedby': hint }),
              ...(here.length > 0 && { 'aria-invalid': 'true' }),
            }),
          ),
        ],
      },
      setDiagnostics(
        editor.state,
        here.map((problem) => diagnosticOf(doc, problem)),
      ),
    );
  }, [file, label, hint, readOnly, problems]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || !place) return;
    const at = offsetOf(editor.state.doc, place.row, place.column);
    editor.focus();
    editor.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
  }, [place]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const { doc } = editor.state;
    const marksOf = (ranges: readonly (readonly [number, number])[], mark: Evaluated) =>
      ranges.flatMap(([from, to]) =>
        Array.from({ length: Math.max(0, Math.min(to, doc.lines) - from + 1) }, (_, n) =>
          mark.range(doc.line(from + n).from),
        ),
      );
    const marks = coverage
      ? [
          ...marksOf(coverage.covered, new Evaluated(true, t('ops.policies.evaluated'))),
          ...marksOf(coverage.not_covered, new Evaluated(false, t('ops.policies.notEvaluated'))),
        ]
      : [];
    editor.dispatch({ effects: setEvaluated.of(RangeSet.of(marks, true)) });
  }, [coverage, t]);

  return <div ref={host} className={styles.host} />;
}
