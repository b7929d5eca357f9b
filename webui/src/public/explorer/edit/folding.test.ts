import { foldable, foldAll, foldedRanges } from '@codemirror/language';
import { EditorState, Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { describe, expect, it } from 'vitest';
import { foldAt, folding } from './folding';

const text = 'a {\n  b\n  c\n}\nd';

describe('foldAt', () => {
  it('folds from the end of the first line to the end of the last', () => {
    expect(foldAt(Text.of(text.split('\n')), 1)).toEqual({ from: 3, to: 11 });
  });

  it('is nothing for a line that begins no block', () => {
    expect(foldAt(Text.of(text.split('\n')), 5)).toBeNull();
  });
});

describe('folding', () => {
  it('gives the editor the blocks of the text as it is now', () => {
    const view = new EditorView({
      state: EditorState.create({ doc: text, extensions: folding((key) => key) }),
    });
    foldAll(view);
    const folded: number[][] = [];
    foldedRanges(view.state).between(0, text.length, (from, to) => void folded.push([from, to]));
    expect(folded).toEqual([[3, 11]]);
    view.dispatch({ changes: { from: 0, to: text.length, insert: 'a\nb' } });
    expect(foldable(view.state, 0, 1)).toBeNull();
    view.destroy();
  });
});
