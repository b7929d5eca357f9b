import { describe, expect, it } from 'vitest';
import { makeDialect } from './dialect';
import { linesOf } from './lines';
import { markdownGroups } from './parse';
import { sanitize } from './sanitize';

function linesIn(text: string) {
  return [...markdownGroups(text, makeDialect())].flatMap(({ html, blocks }) => {
    const elements = [...sanitize(html).children];
    return linesOf(elements, blocks).map((line, at) => `${elements[at]?.tagName ?? ''} ${line ?? '-'}`);
  });
}

describe('the lines of a text', () => {
  it('are found for every block', () => {
    const text =
      '# A\n\none\ntwo\n\n- x\n- y\n\n1. z\n\n```\ncode\n```\n\n> q\n\n| a |\n|---|\n| 1 |\n\n---\n\n$$\nx\n$$\n\nend';
    expect(linesIn(text)).toEqual([
      'H1 1',
      'P 3',
      'UL 6',
      'OL 9',
      'PRE 11',
      'BLOCKQUOTE 15',
      'TABLE 17',
      'HR 21',
      'DIV 23',
      'P 27',
    ]);
  });

  it('survive raw HTML and what becomes no element', () => {
    expect(
      linesIn(
        '[x]: /y\n\n<div>raw</div>\n\n<p>own</p>\n\n## B\n\n<details>\n\ninside\n\n</details>\n\n### C',
      ),
    ).toEqual(['DIV -', 'P 11', 'H2 -', 'DETAILS -', 'H3 15']);
    expect(linesIn('<div>raw</div>\n\n## B\n\n### C')).toEqual(['DIV -', 'H2 3', 'H3 5']);
  });

  it('count on through a text of many groups', () => {
    const text = Array.from({ length: 4000 }, (_, at) => `paragraph ${at}\n\n`).join('');
    const lines = linesIn(text);
    expect(lines).toHaveLength(4000);
    expect(lines.at(-1)).toBe('P 7999');
  });
});
