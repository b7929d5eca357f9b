import { describe, expect, it } from 'vitest';
import { changesOf, textOf } from './changes';

describe('changesOf', () => {
  it.each([
    [{ a: 1, b: 'x' }, { a: 1, b: 'x' }, {}],
    [{ a: 1, b: 'x' }, { a: 2, b: 'x' }, { a: 2 }],
    [{ a: 'x' }, { a: null }, { a: null }],
    [{}, { a: null }, { a: null }],
    [{ a: undefined }, {}, {}],
    [{ o: { x: 1, y: 2 } }, { o: { x: 1, y: 3 } }, { o: { y: 3 } }],
    [{ o: null }, { o: { x: 1 } }, { o: { x: 1 } }],
    [{ l: [1] }, { l: [1, 2] }, { l: [1, 2] }],
  ])('from %o to %o is %o', (before, after, changes) => {
    expect(changesOf<object>(before, after)).toEqual(changes);
  });
});

describe('textOf', () => {
  it('writes a line for each field', () => {
    const lines = [
      ['Name', 'ci'],
      ['Active', false],
      ['Remark', null],
      ['Order', 0],
    ] as const;
    expect(textOf(lines, { on: 'on', off: 'off' })).toBe('Name: ci\nActive: off\nRemark: \nOrder: 0');
  });
});
