import { describe, expect, it } from 'vitest';
import { hostileMarkdown } from './hostile.fixtures';
import { makeDialect } from './dialect';
import { markdownGroups } from './parse';
import { safeAddress, sanitize } from './sanitize';

const rendered = (text: string) => {
  const root = document.createElement('div');
  for (const { html } of markdownGroups(text, makeDialect())) root.append(sanitize(html));
  return root;
};

const forbidden =
  'script, style, iframe, frame, object, embed, form, link, meta, base, svg, math, template, textarea, select, button, noscript, dialog, portal, slot, animate, foreignObject, [style], [srcdoc], [srcset], [formaction], [action], [background], [name], [is], [contenteditable], [autofocus], [tabindex], [popover]';

describe('hostile Markdown', () => {
  it('is a corpus worth its name', () => {
    expect(new Set(hostileMarkdown).size).toBe(hostileMarkdown.length);
    expect(hostileMarkdown.length).toBeGreaterThanOrEqual(100);
  });

  it.each(hostileMarkdown)('is harmless: %s', (payload) => {
    const root = rendered(payload);
    expect([...root.querySelectorAll(forbidden)].map((element) => element.outerHTML)).toEqual([]);
    for (const element of root.querySelectorAll('*')) {
      for (const attribute of element.attributes) {
        expect(attribute.name).not.toMatch(/^on|^xlink|^data-|:/i);
        if (['href', 'src'].includes(attribute.name)) {
          const { protocol } = new URL(attribute.value, location.href);
          expect(['http:', 'https:', 'mailto:', 'data:']).toContain(protocol);
          if (protocol === 'data:') expect(element.nodeName).toBe('IMG');
        }
        if (attribute.name === 'id') expect(attribute.value).toMatch(/^md-/);
      }
    }
  });

  it('stays harmless when the result is parsed once more', () => {
    for (const payload of hostileMarkdown) {
      const again = document.createElement('div');
      again.innerHTML = rendered(payload).innerHTML;
      expect([
        ...again.querySelectorAll('script, [onerror], [onload], [onclick], iframe, style, svg'),
      ]).toEqual([]);
    }
  });
});

describe('what the allow list keeps', () => {
  it.each([
    [
      'links with a safe rel',
      '[a](https://a.example)',
      'a[rel="noopener noreferrer nofollow"][target=_blank]',
    ],
    ['own paths', '[a](/paste/x)', 'a[href="/paste/x"]:not([target])'],
    ['mail addresses', '[a](mailto:a@a.example)', 'a[href="mailto:a@a.example"]'],
    ['links into the text, prefixed', '[a](#intro)', 'a[href="#md-intro"]'],
    ['images, lazy', '![a](https://a.example/a.png)', 'img[loading=lazy][alt=a][referrerpolicy=no-referrer]'],
    [
      'small pictures in the address',
      '![](data:image/png;base64,AAAA)',
      'img[src^="data:image/png"][alt=""]',
    ],
    ['details', '<details><summary>a</summary>b</details>', 'details > summary'],
    ['languages of code', '```go\nx\n```', 'code.language-go'],
    ['boxes of tasks', '- [ ] a', 'li input[type=checkbox][disabled]'],
  ])('%s', (_, text, selector) => {
    expect(rendered(text).querySelector(selector)).not.toBeNull();
  });

  it('drops classes that are not ours', () => {
    expect(rendered('<div class="dialog md-toc x">a</div>').querySelector('div')?.className).toBe('md-toc');
  });
});

describe('safeAddress', () => {
  it.each([
    ['https://a.example/x', 'link', true],
    ['http://a.example/x', 'link', true],
    ['javascript:alert(1)', 'link', false],
    ['java\nscript:alert(1)', 'link', false],
    ['vbscript:x', 'link', false],
    ['file:///etc/passwd', 'link', false],
    ['https://user:pw@a.example', 'link', false],
    ['blob:https://a.example/1', 'image', false],
    ['http://a.example/x.png', 'image', false],
    ['https://a.example/x.png', 'image', true],
    ['/own.png', 'image', true],
    ['data:image/svg+xml;base64,AAAA', 'image', false],
    ['data:image/png;base64,AAAA', 'image', true],
    ['data:image/png;base64,' + 'A'.repeat(140_000), 'image', false],
    ['data:text/html;base64,AAAA', 'link', false],
  ] as const)('%s as %s: %s', (address, use, want) => {
    expect(safeAddress(address, use) !== null).toBe(want);
  });
});
