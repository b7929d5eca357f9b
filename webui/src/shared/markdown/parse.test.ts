import { describe, expect, it } from 'vitest';
import { makeDialect } from './dialect';
import { frontOf, restOf, markdownGroups } from './parse';

const html = (text: string) => [...markdownGroups(text, makeDialect())].map((group) => group.html).join('');

describe('footnotes', () => {
  it('are numbered in the order of their mention and listed at the end', () => {
    const got = html('One[^b] two[^a] again[^b].\n\n[^a]: First\n[^b]: Second');
    expect(got).toContain('<a id="fnref-1" href="#fn-1">1</a>');
    expect(got).toContain('<a id="fnref-2" href="#fn-2">2</a>');
    expect(got).toContain('<a id="fnref-1-2" href="#fn-1">1</a>');
    expect(got.indexOf('<p>Second</p>')).toBeGreaterThan(0);
    expect(got.indexOf('<p>Second</p>')).toBeLessThan(got.indexOf('<p>First</p>'));
  });

  it('stay text when nobody defines them', () => {
    expect(html('One[^x].')).toContain('One[^x].');
  });

  it('are left out when nobody mentions them', () => {
    expect(html('One.\n\n[^x]: unused')).not.toContain('unused');
  });

  it('may have several paragraphs', () => {
    expect(html('One[^x].\n\n[^x]: first\n\n    second')).toContain('<p>second</p>');
  });
});

describe('marks of our own', () => {
  it('render highlighted text', () => {
    expect(html('a ==b *c*== d')).toContain('<mark>b <em>c</em></mark>');
  });

  it.each(['a == b == c', 'a ==== b', '`==a==`'])('leave %s alone', (text) => {
    expect(html(text)).not.toContain('<mark>');
  });

  it.each(['[TOC]', '[toc]', '[[toc]]'])('hold a place for the contents at %s', (marker) => {
    expect(html(`${marker}\n\n# A`)).toContain('<div class="md-toc"></div>');
  });

  it('do not take a link for the contents', () => {
    expect(html('[toc](https://a.example)')).not.toContain('md-toc');
  });
});

describe('GFM', () => {
  it.each([
    ['tables', '|a|b|\n|-|:-:|\n|1|2|', '<td align="center">2</td>'],
    ['tasks', '- [x] done', '<input checked="" disabled="" type="checkbox">'],
    ['strike', '~~a~~', '<del>a</del>'],
    ['bare links', 'https://a.example/x', '<a href="https://a.example/x">'],
  ])('renders %s', (_, text, want) => {
    expect(html(text)).toContain(want);
  });
});

describe('groups', () => {
  const paragraph = 'word '.repeat(200) + '\n\n';

  it('cut a long document between blocks and lose nothing', () => {
    const groups = [...markdownGroups(paragraph.repeat(200), makeDialect())];
    expect(groups.length).toBeGreaterThan(3);
    expect(
      groups
        .map((group) => group.html)
        .join('')
        .match(/<p>/g),
    ).toHaveLength(200);
  });

  it('do not cut inside raw HTML', () => {
    const groups = [
      ...markdownGroups('<details>\n\n' + paragraph.repeat(60) + '</details>\n\n' + paragraph, makeDialect()),
    ];
    expect(groups[0]?.html).toContain('</details>');
  });

  it('resolve references across groups', () => {
    const text = '[here][far]\n\n' + paragraph.repeat(100) + '[far]: https://a.example/far';
    expect([...markdownGroups(text, makeDialect())][0]?.html).toContain('href="https://a.example/far"');
  });
});

describe('formulas', () => {
  it.each([
    ['price $5 and $6', '<p>price $5 and $6</p>\n'],
    ['a $x+1$ b', '<p>a <span class="md-math">x+1</span> b</p>\n'],
    ['$a<b$', '<p><span class="md-math">a&lt;b</span></p>\n'],
    ['\\(x\\)', '<p><span class="md-math">x</span></p>\n'],
    ['$ x $', '<p>$ x $</p>\n'],
    ['`$x$`', '<p><code>$x$</code></p>\n'],
    ['$a_1 * b_2 * c$', '<p><span class="md-math">a_1 * b_2 * c</span></p>\n'],
    ['$$\nx^2\n$$', '<div class="md-formula">x^2</div>\n'],
    ['\\[\nx\n\\]', '<div class="md-formula">x</div>\n'],
    ['so $$x$$ is', '<p>so <span class="md-formula">x</span> is</p>\n'],
    ['公式 $x$。', '<p>公式 <span class="md-math">x</span>。</p>\n'],
    ['costs 5$ or 6$', '<p>costs 5$ or 6$</p>\n'],
  ])('%s', (text, want) => {
    expect(html(text)).toBe(want);
  });
});

describe('a long document', () => {
  const filler = Array.from({ length: 900 }, (_, at) => `## Part ${at}\n\n${'words '.repeat(10)}\n\n`).join(
    '',
  );

  /** shown joins the pieces as the page does. */
  function shown(text: string) {
    const pieces: string[] = [];
    let replaced = 0;
    const front = frontOf(text, makeDialect);
    for (const { html: piece, instead } of [
      ...(front.group ? [front.group] : []),
      ...restOf(text, front, makeDialect),
    ]) {
      if (instead) {
        replaced++;
        pieces.pop();
      }
      pieces.push(piece);
    }
    return { html: pieces.join(''), first: pieces[0]?.length ?? 0, replaced };
  }

  it('shows its front before the rest is read, and the same text in the end', () => {
    const got = shown(filler);
    expect(got.first).toBeLessThan(16_000);
    expect(got.replaced).toBe(0);
    expect(got.html).toBe(html(filler));
  });

  it.each([
    ['a link', 'See [there].\n\n', '[there]: https://example.com/\n'],
    ['a footnote', 'Note[^1].\n\n', '[^1]: at the end\n'],
    ['a list', '- item\n\n'.repeat(2000), ''],
    ['code', `\`\`\`\n${'line\n\n'.repeat(4000)}\`\`\`\n\n`, ''],
    ['a Windows file', '', '\r\n\r\nend\r\n'],
  ])('is right where the rest changes the front: %s', (_, before, after) => {
    const text = before + filler + after;
    expect(shown(text).html).toBe(html(text.replace(/\r\n/g, '\n')));
  });
});
