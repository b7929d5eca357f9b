/** One change of a text with the selection after it; positions are UTF-16 offsets. */
export interface Edit {
  from: number;
  to: number;
  insert: string;
  /** anchor and head of the selection after the change. */
  anchor: number;
  head: number;
}

/** Mark makes the edit of a toolbar button out of the text and the selected range. */
export type Mark = (text: string, from: number, to: number) => Edit;

/** wrap puts a mark around the selection, or takes it away when it stands there already. */
export const wrap =
  (mark: string): Mark =>
  (text, from, to) => {
    const size = mark.length;
    const inside = text.slice(from, to);
    if (text.slice(from - size, from) === mark && text.slice(to, to + size) === mark && from >= size) {
      return { from: from - size, to: to + size, insert: inside, anchor: from - size, head: to - size };
    }
    return { from, to, insert: `${mark}${inside}${mark}`, anchor: from + size, head: to + size };
  };

/** Bounds of the lines that the selection touches. */
function lines(text: string, from: number, to: number): [number, number] {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const end = text.indexOf('\n', to > from && text[to - 1] === '\n' ? to - 1 : to);
  return [start, end < 0 ? text.length : end];
}

// What may already stand at the front of a line: a list mark, a quote or a heading.
const front = /^(\s*)(#{1,6} |> |- \[[ x]\] |[-*+] |\d+\. )?/;

/** prefix puts a mark before every selected line in place of another one, or removes it when all have it. */
export const prefix =
  (mark: (line: number) => string): Mark =>
  (text, from, to) => {
    const [start, end] = lines(text, from, to);
    const before = text.slice(start, end).split('\n');
    const marked = before.every((line, at) => line.replace(/^\s*/, '').startsWith(mark(at)));
    const after = before.map((line, at) =>
      line.replace(front, (_, indent: string) => (marked ? indent : indent + mark(at))),
    );
    const insert = after.join('\n');
    const single = before.length === 1;
    const shift = insert.length - (end - start);
    return {
      from: start,
      to: end,
      insert,
      anchor: single ? Math.max(start, from + shift) : start,
      head: single ? Math.max(start, to + shift) : start + insert.length,
    };
  };

/** block puts something on lines of its own after the selection's line. */
export const block =
  (content: string, select: [number, number]): Mark =>
  (text, from, to) => {
    const [, end] = lines(text, from, to);
    const gap = end === 0 ? '' : '\n\n';
    const at = end + gap.length;
    return {
      from: end,
      to: end,
      insert: `${gap}${content}\n`,
      anchor: at + select[0],
      head: at + select[1],
    };
  };

/** codeBlock fences the selected lines. */
export const codeBlock: Mark = (text, from, to) => {
  const [start, end] = lines(text, from, to);
  const inside = text.slice(start, end);
  return { from: start, to: end, insert: `\`\`\`\n${inside}\n\`\`\``, anchor: start + 3, head: start + 3 };
};

/** link makes the selection the words of a link and selects the address to be typed. */
export const link =
  (words: string): Mark =>
  (text, from, to) => {
    const inside = text.slice(from, to) || words;
    const address = 'https://';
    const at = from + inside.length + 3;
    return { from, to, insert: `[${inside}](${address})`, anchor: at, head: at + address.length };
  };

/** lineBefore and lineAfter begin an empty line above or below the selection. */
export const lineBefore: Mark = (text, from, to) => {
  const [start] = lines(text, from, to);
  return { from: start, to: start, insert: '\n', anchor: start, head: start };
};
export const lineAfter: Mark = (text, from, to) => {
  const [, end] = lines(text, from, to);
  return { from: end, to: end, insert: '\n', anchor: end + 1, head: end + 1 };
};

// How far a line moves: items of a numbered list need room for their number.
const step = (line: string) => (/^\s*\d+[.)] /.test(line) ? '   ' : '  ');

/** eachLine changes every selected line by itself; the selection keeps its place in its lines. */
const eachLine =
  (change: (line: string) => string): Mark =>
  (text, from, to) => {
    const [start, end] = lines(text, from, to);
    const before = text.slice(start, end).split('\n');
    const after = before.map(change);
    const insert = after.join('\n');
    const first = (after[0]?.length ?? 0) - (before[0]?.length ?? 0);
    const anchor = Math.max(start, from + first);
    return {
      from: start,
      to: end,
      insert,
      anchor,
      head: Math.max(anchor, to + insert.length - (end - start)),
    };
  };

/** indent and outdent move the selected lines one step deeper or back. */
export const indent = eachLine((line) => (line.trim() === '' ? line : step(line) + line));
export const outdent = eachLine((line) =>
  line.replace(/^(?:\t| {1,3})/, (start) => start.slice(step(line).length)),
);

/** put replaces the selection by a text, with the caret behind it. */
export const put =
  (content: string): Mark =>
  (_, from, to) => ({
    from,
    to,
    insert: content,
    anchor: from + content.length,
    head: from + content.length,
  });

/** Marks that have keys of their own in the Markdown editor; "Mod" is Ctrl, or the Command key on a Mac. */
export const keyedMarks: Record<string, { keys: string; mark: Mark }> = {
  heading1: { keys: 'Mod-Alt-1', mark: prefix(() => '# ') },
  heading2: { keys: 'Mod-Alt-2', mark: prefix(() => '## ') },
  heading3: { keys: 'Mod-Alt-3', mark: prefix(() => '### ') },
  bold: { keys: 'Mod-b', mark: wrap('**') },
  italic: { keys: 'Mod-i', mark: wrap('*') },
  strike: { keys: 'Mod-Shift-x', mark: wrap('~~') },
  code: { keys: 'Mod-e', mark: wrap('`') },
  numbers: { keys: 'Mod-Shift-7', mark: prefix((line) => `${line + 1}. `) },
  bullets: { keys: 'Mod-Shift-8', mark: prefix(() => '- ') },
  tasks: { keys: 'Mod-Shift-9', mark: prefix(() => '- [ ] ') },
  quote: { keys: 'Mod-Shift-.', mark: prefix(() => '> ') },
  codeBlock: { keys: 'Mod-Alt-c', mark: codeBlock },
  indent: { keys: 'Mod-]', mark: indent },
  outdent: { keys: 'Mod-[', mark: outdent },
};

/** keysText writes keys as they are printed on the keyboard at hand. */
export function keysText(keys: string, mac = /Mac|iPhone|iPad/.test(navigator.platform)): string {
  const names = mac
    ? { Mod: '\u2318', Shift: '\u21e7', Alt: '\u2325' }
    : { Mod: 'Ctrl', Shift: 'Shift', Alt: 'Alt' };
  return keys
    .split('-')
    .map((key) => (names as Record<string, string>)[key] ?? key.toUpperCase())
    .join(mac ? '' : '+');
}
