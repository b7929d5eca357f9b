import { describe, expect, it } from 'vitest';
import { block, codeBlock, link, prefix, wrap, type Mark } from './marks';

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
    ['links a selection', link('text'), 'see «this»', 'see [this](«https://»)'],
    ['links without a selection', link('text'), '«»', '[text](«https://»)'],
  ])('%s', (_, mark, before, after) => {
    expect(run(mark, before)).toBe(after);
  });
});
