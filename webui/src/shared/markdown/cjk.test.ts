import { describe, expect, it } from 'vitest';
import { makeDialect } from './dialect';
import { markdownGroups } from './parse';

const html = (text: string) =>
  [...markdownGroups(text, makeDialect())]
    .map((group) => group.html)
    .join('')
    .trim();
const inline = (text: string) => html(text).replace(/^<p>|<\/p>$/g, '');

describe('emphasis beside Chinese', () => {
  it.each([
    ['a full stop before the closing marks', '**该星号。**后文', '<strong>该星号。</strong>后文'],
    ['quotes inside the marks', '这是**“重点”**内容', '这是<strong>“重点”</strong>内容'],
    ['brackets inside the marks', '见**（附录）**一节', '见<strong>（附录）</strong>一节'],
    ['ASCII quotes inside the marks', '他说**"好"**了', '他说<strong>&quot;好&quot;</strong>了'],
    ['single stars', '*注意：*请看', '<em>注意：</em>请看'],
    ['three stars', '***重要！***后文', '<em><strong>重要！</strong></em>后文'],
    ['a Latin letter after the closer', '**该星号。**abc', '<strong>该星号。</strong>abc'],
    ['two pairs in one line', '**甲。**乙**丙。**丁', '<strong>甲。</strong>乙<strong>丙。</strong>丁'],
    [
      'a link inside',
      '**[链接](https://a.example)**后',
      '<strong><a href="https://a.example">链接</a></strong>后',
    ],
    ['code inside', '**`代码`**后', '<strong><code>代码</code></strong>后'],
    ['Japanese', '**「強調」**です', '<strong>「強調」</strong>です'],
    ['Korean', '**"강조"**입니다', '<strong>&quot;강조&quot;</strong>입니다'],
    ['strike', '~~删除。~~后文', '<del>删除。</del>后文'],
    ['no punctuation at all', '中**粗**文', '中<strong>粗</strong>文'],
    ['emphasis in emphasis', '**外*内。*外**尾', '<strong>外<em>内。</em>外</strong>尾'],
  ])('sees %s', (_, text, want) => {
    expect(inline(text)).toBe(want);
  });

  it.each([
    ['a power', '2 ** 3 和 4 ** 5', '2 ** 3 和 4 ** 5'],
    ['stars in code', '`**甲。**乙`', '<code>**甲。**乙</code>'],
    ['escaped stars', '\\*\\*甲。\\*\\*乙', '**甲。**乙'],
    ['English flanking', 'a **"b"**c', 'a **&quot;b&quot;**c'],
    ['English bold', 'a **b** c', 'a <strong>b</strong> c'],
    ['English nested', '**a *b* c**', '<strong>a <em>b</em> c</strong>'],
    ['an opener without closer', '**甲。乙', '**甲。乙'],
    ['a blank before the closer', '**甲。 **乙', '**甲。 **乙'],
  ])('leaves %s alone', (_, text, want) => {
    expect(inline(text)).toBe(want);
  });
});

describe('bare links in Chinese text', () => {
  it('end where Chinese punctuation begins', () => {
    expect(inline('见https://a.example/x，然后')).toBe(
      '见<a href="https://a.example/x">https://a.example/x</a>，然后',
    );
  });

  it('keep Chinese letters of a path', () => {
    expect(html('https://a.example/中文 后')).toContain('>https://a.example/中文</a>');
  });
});
