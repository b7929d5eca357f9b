import { describe, expect, it } from 'vitest';
import {
  block,
  codeBlock,
  indent,
  keysText,
  lineAfter,
  lineBefore,
  link,
  outdent,
  prefix,
  put,
  wrap,
  type Mark,
} from './marks';

/** Runs a mark on a text in which « and » stand at the ends of the selection, and writes the result so. */
function run(mark: Mark, marked: string): string {
  const from = marked.indexOf('«');
  const to = marked.indexOf('»') - 1;
  const text = marked.replace(/[«»]/g, '');
  const edit = mark(text, from, to);
  const after = text.slice(0, edit.from) + edit.insert + text.slice(edit.to);
  const [low, high] = [Math.min(edit.anchor, edit.head), Math.max(edit.anchor, edit.head)];
  return `${after.slice(0, low)}«${after.slice(low, high)}»${after.slice(high)}`;
}

const bullet = prefix(() => '- ');
const number = prefix((line) => `${line + 1}. `);

describe('toolbar marks', () => {
  it.each<[string, Mark, string, string]>([
    ['wraps a selection', wrap('**'), 'a «b» c', 'a **«b»** c'],
    ['wraps nothing', wrap('**'), 'a «» c', 'a **«»** c'],
    ['unwraps', wrap('**'), 'a **«b»** c', 'a «b» c'],
    ['does not unwrap at the start of the text', wrap('**'), '«b»', '**«b»**'],
    ['makes one line an item', bullet, 'on«»e', '- on«»e'],
    ['makes several lines items', bullet, '«one\ntwo»', '«- one\n- two»'],
    ['takes the marks away when all have them', bullet, '«- one\n- two»', '«one\ntwo»'],
    ['replaces another mark', number, '«- one\n- two»', '«1. one\n2. two»'],
    ['keeps the indent', bullet, '«  one\n  two»', '«  - one\n  - two»'],
    ['does not touch the line after the selection', bullet, '«one\n»two', '- «one\n»two'],
    ['turns a heading into another level', prefix(() => '## '), '# t«»itle', '## t«»itle'],
    ['fences lines and waits for the language', codeBlock, '«a\nb»', '```«»\na\nb\n```'],
    ['puts a rule below', block('---', [4, 4]), 'a«»b', 'ab\n\n---\n«»'],
    ['starts an empty text with a block', block('---', [4, 4]), '«»', '---\n«»'],
    ['indents an item', indent, '- on«»e', '  - on«»e'],
    [
      'indents a numbered item by the room of its number',
      indent,
      '«1. a\n2. b»',
      '«   1. a\n   2. b»'.replace('«   ', '   «'),
    ],
    ['takes one step back', outdent, '  - on«»e', '- on«»e'],
    ['leaves a line at the margin alone', outdent, 'on«»e', 'on«»e'],
    ['begins a line above', lineBefore, 'a\nb«»c', 'a\n«»\nbc'],
    ['begins a line below', lineAfter, 'a«»b\nc', 'ab\n«»\nc'],
    ['puts a sign in place of the selection', put('😀'), 'a«b»c', 'a😀«»c'],
    ['links a selection', link('text'), 'see «this»', 'see [this](«https://»)'],
    ['links without a selection', link('text'), '«»', '[text](«https://»)'],
  ])('%s', (_, mark, before, after) => {
    expect(run(mark, before)).toBe(after);
  });
});

it.each([
  ['Mod-b', false, 'Ctrl+B'],
  ['Mod-Shift-8', false, 'Ctrl+Shift+8'],
  ['Mod-Alt-1', true, '\u2318\u23251'],
])('writes %s on a keyboard (Mac: %s)', (keys, mac, want) => {
  expect(keysText(keys, mac)).toBe(want);
});
