import { syntaxTree } from '@codemirror/language';
import type { Extension, Range } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  ViewPlugin,
  WidgetType,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';

/** Instant mode: the text stays Markdown; its marks are hidden on every line that does not hold the caret. */
export const instant: Extension = [
  ViewPlugin.define((view) => new Marks(view), {
    decorations: (plugin) => plugin.decorations,
    eventHandlers: {
      mousedown(event, view) {
        return event.target instanceof HTMLInputElement && tick(event.target, view);
      },
    },
  }),
  EditorView.editorAttributes.of({ class: 'pp-instant' }),
  EditorView.theme({
    '&.pp-instant .cm-scroller': { fontFamily: 'var(--sans)' },
    '.pp-code': { fontFamily: 'var(--mono)', fontSize: '0.9em', background: 'var(--wash)' },
    '.pp-quote': {
      borderInlineStart: '3px solid var(--line-strong)',
      paddingInlineStart: '12px',
      color: 'var(--muted)',
    },
    '.pp-h1': { fontSize: '1.6em', lineHeight: '1.35' },
    '.pp-h2': { fontSize: '1.35em', lineHeight: '1.35' },
    '.pp-h3': { fontSize: '1.15em' },
    '.pp-rule': {
      display: 'inline-block',
      width: '100%',
      borderTop: '1px solid var(--line-strong)',
      verticalAlign: 'middle',
    },
    '.pp-table': { fontFamily: 'var(--mono)', fontSize: '0.9em' },
    '.pp-task': {
      margin: '0 0.4em 0 0',
      width: '1em',
      height: '1em',
      verticalAlign: '-0.12em',
      accentColor: 'var(--accent)',
    },
  }),
];

const hidden = Decoration.replace({});

/** What stands in place of a mark. */
class Sign extends WidgetType {
  constructor(
    private readonly kind: 'bullet' | 'rule' | 'task' | 'done',
    private readonly at: number,
  ) {
    super();
  }

  override eq(other: Sign): boolean {
    return other.kind === this.kind && other.at === this.at;
  }

  override toDOM(): HTMLElement {
    if (this.kind === 'bullet' || this.kind === 'rule') {
      const sign = document.createElement('span');
      if (this.kind === 'bullet') sign.textContent = '•';
      else sign.className = 'pp-rule';
      return sign;
    }
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.className = 'pp-task';
    box.checked = this.kind === 'done';
    box.tabIndex = -1;
    box.dataset.at = String(this.at);
    box.setAttribute('aria-hidden', 'true');
    return box;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** tick turns the box of a task over, in the text. */
function tick(box: HTMLInputElement, view: EditorView): boolean {
  const at = Number(box.dataset.at);
  const mark = view.state.sliceDoc(at, at + 3);
  if (!/^\[[ xX]\]$/.test(mark)) return false;
  const done = mark === '[ ]';
  view.dispatch({ changes: { from: at + 1, to: at + 2, insert: done ? 'x' : ' ' }, userEvent: 'input' });
  return true;
}

class Marks {
  decorations: DecorationSet;

  constructor(view: EditorView) {
    this.decorations = decorate(view);
  }

  update(update: ViewUpdate) {
    // While an input method composes, only what the text itself moves may move.
    if (update.view.composing) {
      this.decorations = this.decorations.map(update.changes);
      return;
    }
    const parsed = syntaxTree(update.startState) !== syntaxTree(update.state);
    if (update.docChanged || update.selectionSet || update.viewportChanged || update.focusChanged || parsed) {
      this.decorations = decorate(update.view);
    }
  }
}

const lineClasses: Record<string, string> = {
  ATXHeading1: 'pp-h1',
  SetextHeading1: 'pp-h1',
  ATXHeading2: 'pp-h2',
  SetextHeading2: 'pp-h2',
  ATXHeading3: 'pp-h3',
  Blockquote: 'pp-quote',
  FencedCode: 'pp-code',
  CodeBlock: 'pp-code',
  Table: 'pp-table',
};

// Marks that vanish; what they mean shows in the text between them.
const vanishing = new Set([
  'EmphasisMark',
  'StrikethroughMark',
  'HeaderMark',
  'QuoteMark',
  'LinkMark',
  'CodeMark',
]);

/** decorate makes the decorations of what is on the screen. */
export function decorate(view: EditorView): DecorationSet {
  const { state } = view;
  const { doc } = state;
  const open = state.selection.ranges.map(
    (range) => [doc.lineAt(range.from).from, doc.lineAt(range.to).to] as const,
  );
  const isOpen = (from: number, to: number) =>
    view.hasFocus && open.some(([start, end]) => from <= end && to >= start);
  const found: Range<Decoration>[] = [];
  for (const visible of view.visibleRanges) {
    syntaxTree(state).iterate({
      from: visible.from,
      to: visible.to,
      enter({ name, from, to, node }) {
        const lineClass = lineClasses[name];
        if (lineClass) {
          const start = Math.max(from, visible.from);
          const end = Math.min(to, visible.to);
          for (let line = doc.lineAt(start); ; line = doc.line(line.number + 1)) {
            found.push(Decoration.line({ class: lineClass }).range(line.from));
            if (line.to >= end || line.number === doc.lines) break;
          }
        }
        if (name === 'InlineCode') found.push(Decoration.mark({ class: 'pp-code' }).range(from, to));
        if (isOpen(from, to)) return;
        const parent = node.parent?.name ?? '';
        // A mark must not reach over the end of its line, or lines would run together.
        const replace = (decoration: Decoration, end = to) => {
          const stop = Math.min(end, doc.lineAt(from).to);
          if (stop > from) found.push(decoration.range(from, stop));
        };
        const sign = (kind: ConstructorParameters<typeof Sign>[0]) =>
          replace(Decoration.replace({ widget: new Sign(kind, from) }));
        if (name === 'HorizontalRule') sign('rule');
        else if (name === 'TaskMarker') sign(/x/i.test(state.sliceDoc(from, to)) ? 'done' : 'task');
        else if (name === 'ListMark' && node.parent?.parent?.name === 'BulletList') {
          if (node.nextSibling?.name === 'Task') replace(hidden, to + 1);
          else sign('bullet');
        } else if ((name === 'URL' || name === 'LinkTitle') && parent === 'Link') replace(hidden);
        else if (vanishing.has(name) && !(name === 'CodeMark' && parent === 'FencedCode')) {
          const blank = name === 'HeaderMark' || name === 'QuoteMark';
          replace(hidden, blank && state.sliceDoc(to, to + 1) === ' ' ? to + 1 : to);
        }
      },
    });
  }
  return Decoration.set(found, true);
}
