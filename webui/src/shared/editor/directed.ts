import { RangeSetBuilder } from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';

const own = Decoration.line({ attributes: { dir: 'auto' } });

/** directed lets each line run the way its own letters do: from the right in Arabic and Hebrew. */
export const directed = [
  EditorView.perLineTextDirection.of(true),
  EditorView.decorations.of((view) => {
    const lines = new RangeSetBuilder<Decoration>();
    let next = 0;
    for (const { from, to } of view.visibleRanges) {
      for (let at = Math.max(from, next); at <= to; at = next) {
        const line = view.state.doc.lineAt(at);
        lines.add(line.from, line.from, own);
        next = line.to + 1;
      }
    }
    return lines.finish();
  }),
];
