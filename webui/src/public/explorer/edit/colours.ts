import { RangeSet, StateEffect, StateField, type Range } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view';
import { highlight, longestHighlighted } from '../../../shared/markdown/highlight';

/** Milliseconds of rest before a changed text is coloured again. */
const rest = 250;

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};

/** marksOf turns highlighted code into ranges of the text it was made from. */
export function marksOf(html: string): Range<Decoration>[] {
  const marks: Range<Decoration>[] = [];
  const open: { from: number; name: string }[] = [];
  let at = 0;
  for (const [piece] of html.matchAll(
    /<span class="[^"]*">|<\/span>|&(?:amp|lt|gt|quot|#x27);|[^<&]+|[<&]/g,
  )) {
    if (piece === '</span>') {
      const from = open.pop();
      if (from && from.from < at) marks.push(Decoration.mark({ class: from.name }).range(from.from, at));
    } else if (piece.startsWith('<span class="')) open.push({ from: at, name: piece.slice(13, -2) });
    else at += (entities[piece] ?? piece).length;
  }
  return marks;
}

const coloured = StateEffect.define<DecorationSet>();

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, change) {
    for (const effect of change.effects) if (effect.is(coloured)) return effect.value;
    return marks.map(change.changes);
  },
  provide: (marks) => EditorView.decorations.from(marks),
});

/** colours highlights a text in a language of the code view, a moment after it has changed. */
export function colours(language: string) {
  const plugin = ViewPlugin.fromClass(
    class {
      private timer = 0;
      private round = 0;

      constructor(private readonly view: EditorView) {
        this.timer = window.setTimeout(() => void this.colour());
      }

      update(update: ViewUpdate) {
        if (!update.docChanged) return;
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => void this.colour(), rest);
      }

      destroy() {
        clearTimeout(this.timer);
        this.round = -1;
      }

      private async colour() {
        const { doc } = this.view.state;
        if (doc.length > longestHighlighted) return;
        const round = ++this.round;
        const html = await highlight(doc.toString(), language);
        if (html === null || round !== this.round || !this.view.state.doc.eq(doc)) return;
        this.view.dispatch({ effects: coloured.of(RangeSet.of(marksOf(html), true)) });
      }
    },
  );
  return [field, plugin];
}
