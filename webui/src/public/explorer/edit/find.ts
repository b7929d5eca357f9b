import type { EditorView } from '@codemirror/view';

/** Finding is what is looked for. */
export interface Finding {
  text: string;
  /** exact says that capitals matter. */
  exact: boolean;
}

/** placesOf lists where a text occurs, in UTF-16 units. */
export function placesOf(text: string, { text: wanted, exact }: Finding): number[] {
  if (wanted === '') return [];
  // A letter whose small form is longer would shift all places behind it; such texts are taken exactly.
  const folds = !exact && text.toLowerCase().length === text.length;
  const whole = folds ? text.toLowerCase() : text;
  const part = folds ? wanted.toLowerCase() : wanted;
  const places: number[] = [];
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + part.length)) places.push(at);
  return places;
}

const textOf = (view: EditorView) => view.state.doc.toString();

/** findNext selects the next place, or the one before; it answers which of how many it is, 0 of 0 for none. */
export function findNext(view: EditorView, finding: Finding, back = false): [number: number, count: number] {
  const places = placesOf(textOf(view), finding);
  if (places.length === 0) return [0, 0];
  const { from, to } = view.state.selection.main;
  const found = back ? places.findLastIndex((at) => at < from) : places.findIndex((at) => at >= to);
  const index = found >= 0 ? found : back ? places.length - 1 : 0;
  select(view, places[index] ?? 0, finding.text.length);
  return [index + 1, places.length];
}

function select(view: EditorView, from: number, length: number) {
  view.dispatch({ selection: { anchor: from, head: from + length }, scrollIntoView: true });
}

/** replaceNext replaces what is selected when it is what is looked for, and goes on to the next place. */
export function replaceNext(view: EditorView, finding: Finding, by: string): [number, number] {
  const { from, to } = view.state.selection.main;
  if (placesOf(view.state.sliceDoc(from, to), finding)[0] === 0 && to - from === finding.text.length) {
    view.dispatch({ changes: { from, to, insert: by }, selection: { anchor: from + by.length } });
  }
  return findNext(view, finding);
}

/** replaceAll replaces every place at once and answers how many there were. */
export function replaceAll(view: EditorView, finding: Finding, by: string): number {
  const places = placesOf(textOf(view), finding);
  view.dispatch({ changes: places.map((from) => ({ from, to: from + finding.text.length, insert: by })) });
  return places.length;
}

/** changeSelection rewrites what is selected. */
export function changeSelection(view: EditorView, change: (text: string) => string): void {
  const { from, to } = view.state.selection.main;
  const insert = change(view.state.sliceDoc(from, to));
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: from, head: from + insert.length } });
  view.focus();
}

/** insertText puts a text where the caret is. */
export function insertText(view: EditorView, insert: string): void {
  const { from, to } = view.state.selection.main;
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length } });
  view.focus();
}
