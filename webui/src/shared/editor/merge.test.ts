import { describe, expect, it } from 'vitest';
import { merge, mergeByHand } from './merge';

describe('merge', () => {
  it.each([
    ['a\nb\nc', 'A\nb\nc', 'a\nb\nC', 'A\nb\nC'],
    ['a\nb\nc', 'a\nb\nC', 'A\nb\nc', 'A\nb\nC'],
    ['a\nb\nc', 'a\nb\nc\nd', 'x\na\nb\nc', 'x\na\nb\nc\nd'],
    ['a\nb\nc\nd', 'a\nc\nd', 'a\nb\nc\nD', 'a\nc\nD'],
    ['a', 'a', 'b', 'b'],
    ['a', 'b', 'a', 'b'],
    ['a', 'b', 'b', 'b'],
  ])('of %j, %j and %j is %j', (base, mine, theirs, want) => {
    expect(merge(base, mine, theirs)).toBe(want);
  });

  it.each([
    ['a\nb', 'A\nb', 'a\nB'],
    ['a', 'b', 'c'],
    ['a\nb\nc', 'A\nB\nc', 'a\nX\nc'],
    ['a', 'a\nb', 'a\nc'],
  ])('is refused where changes touch: %j, %j, %j', (base, mine, theirs) => {
    expect(merge(base, mine, theirs)).toBeUndefined();
  });
});

describe('mergeByHand', () => {
  it('marks both sides where they touch, and has what is alike once', () => {
    const names = { mine: 'My text', theirs: 'Their text' };
    expect(mergeByHand('a\nb\nc\nd\ne', 'a\nB\nc\nd\ne', 'a\nb2\nc2\nd\ne', names)).toBe(
      'a\n<<<<<<< My text\nB\nc\n=======\nb2\nc2\n>>>>>>> Their text\nd\ne',
    );
    expect(mergeByHand('a', 'a\nmine', 'a\ntheirs', names)).toBe(
      'a\n<<<<<<< My text\nmine\n=======\ntheirs\n>>>>>>> Their text',
    );
  });
});
