import { codeFolding, foldGutter, foldKeymap, foldService } from '@codemirror/language';
import { EditorState, type Text } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { foldsOf } from '../../../shared/preview/folds';

/** A longer text is not folded: its blocks would be looked for after each change. In UTF-16 units. */
const longestFolded = 1_000_000;

const blocks = new WeakMap<Text, Map<number, number>>();

/** blocksOf finds the blocks of a document once. */
function blocksOf(doc: Text): Map<number, number> {
  let found = blocks.get(doc);
  if (!found)
    blocks.set(doc, (found = doc.length > longestFolded ? new Map() : foldsOf([...doc.iterLines()])));
  return found;
}

/** foldAt gives the places between which the block that begins in a line is folded. */
export function foldAt(doc: Text, line: number): { from: number; to: number } | null {
  const last = blocksOf(doc).get(line);
  return last === undefined ? null : { from: doc.line(line).to, to: doc.line(last).to };
}

const theme = EditorView.theme({
  '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer', minWidth: '24px', textAlign: 'center' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--wash)',
    border: '1px solid var(--line-strong)',
    color: 'var(--ink)',
  },
});

/** The editor's own words about folding; it asks for them by their English form. */
const foldWords = {
  'Fold line': 'fold',
  'Unfold line': 'unfold',
  unfold: 'unfold',
  'folded code': 'folded',
  'Folded lines': 'foldedLines',
  'Unfolded lines': 'unfoldedLines',
  to: 'to',
} as const;

/**
 * folding folds the same blocks as the code view: by the gutter, Ctrl+Shift+[ and ], and all of them by Ctrl+Alt+[
 * and ]. What is looked for or written into unfolds by itself.
 */
export function folding(word: (key: (typeof foldWords)[keyof typeof foldWords]) => string) {
  return [
    codeFolding(),
    foldService.of((state, start) => foldAt(state.doc, state.doc.lineAt(start).number)),
    foldGutter({ openText: '▾', closedText: '▸' }),
    keymap.of(foldKeymap),
    EditorState.phrases.of(
      Object.fromEntries(Object.entries(foldWords).map(([own, key]) => [own, word(key)])),
    ),
    theme,
  ];
}
