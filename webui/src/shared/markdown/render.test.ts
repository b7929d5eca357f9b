import { fireEvent, screen, waitFor, within } from '@testing-library/dom';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Decorations } from './decorations';
import { renderMarkdown } from './render';

let into: HTMLElement;
const copy = vi.fn(async () => true);

// Labels are shown as their keys, so that the tests do not depend on wording.
const label: Decorations['label'] = (key, values) =>
  values ? `${key} ${Object.values(values).join(' ')}`.trim() : key;

const render = (text: string, opts: Partial<Decorations> & { signal?: AbortSignal } = {}) =>
  renderMarkdown(text, { element: into }, { label, copy, ...opts });

beforeEach(() => {
  document.body.innerHTML = '<main></main>';
  into = document.querySelector('main') ?? document.body;
});

describe('headings', () => {
  it('get stable ids of their own and are returned in order', async () => {
    const { headings } = await render('# A b\n\n## 中文 标题\n\n# A b\n\n<h3>raw</h3>\n\n#');
    expect(headings).toEqual([
      { id: 'md-a-b', text: 'A b', depth: 1 },
      { id: 'md-中文-标题', text: '中文 标题', depth: 2 },
      { id: 'md-a-b-1', text: 'A b', depth: 1 },
      { id: 'md-raw', text: 'raw', depth: 3 },
      { id: 'md-section', text: '', depth: 1 },
    ]);
    expect(into.querySelector('#md-a-b-1')?.textContent).toBe('A b');
  });

  it('fill the contents list where it was asked for', async () => {
    await render('[TOC]\n\n# One\n\n## Two');
    const links = within(screen.getByRole('navigation', { name: 'contents' })).getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['#md-one', '#md-two']);
  });

  it('are reached by the links an author writes', async () => {
    await render('[go](#%E4%B8%AD%E6%96%87)\n\n# 中文');
    const target = screen.getByRole('link').getAttribute('href');
    expect(into.querySelector(`[id="${decodeURIComponent(target?.slice(1) ?? '')}"]`)?.nodeName).toBe('H1');
  });
});

describe('blocks', () => {
  it('run the way their first letters do, unless their author has chosen one', async () => {
    await render('# مرحبا\n\n- שלום\n  - b\n\n<p dir="ltr">x</p>');
    const [heading, list, own] = into.firstElementChild?.children ?? [];
    expect([heading, list, own].map((block) => block?.getAttribute('dir'))).toEqual(['auto', 'auto', 'ltr']);
    // What is inside follows, so that marks and lines stand on one side.
    expect(list?.querySelector('[dir]')).toBeNull();
  });
});

describe('code blocks', () => {
  it('name their language, count their lines and copy their text', async () => {
    await render('```go\na\nb\n```');
    expect(screen.getByText('go')).toBeDefined();
    expect(screen.getByText('codeLines 2')).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: 'codeCopy' }));
    expect(copy).toHaveBeenCalledWith('a\nb');
    await screen.findByRole('button', { name: 'codeCopied' });
  });

  it('write the name of their language as it is written, once it is known', async () => {
    await render('```cpp\na\n```\n\n```Klingon\nb\n```');
    expect(await screen.findByText('C++')).toBeDefined();
    expect(screen.getByText('Klingon')).toBeDefined();
  });

  it('are coloured in their language without changing the text', async () => {
    await render('```go\nfunc main() { s := "<b>" }\n```');
    await waitFor(() => expect(into.querySelector('.hljs-keyword')?.textContent).toBe('func'));
    expect(into.querySelector('code')?.textContent).toBe('func main() { s := "<b>" }');
    expect(into.querySelector('b')).toBeNull();
  });

  it('stay plain in a language nobody knows', async () => {
    await render('```constructor\nx\n```');
    expect(into.querySelector('code')?.innerHTML).toBe('x');
  });

  it('fold when they are long and unfold on demand', async () => {
    await render('```\n' + 'x\n'.repeat(16) + '```\n\n```\n' + 'x\n'.repeat(15) + '```');
    const unfold = screen.getByRole('button', { name: 'codeUnfold 16' });
    expect(unfold.getAttribute('aria-expanded')).toBe('false');
    await userEvent.click(unfold);
    expect(unfold.getAttribute('aria-expanded')).toBe('true');
    expect(unfold.textContent).toBe('codeFold');
  });

  it.each(['html', 'svg'])('offer a preview of %s where the page has one', async (language) => {
    const onHtml = vi.fn();
    await render('```' + language + '\n<b>x</b>\n```', { onHtml });
    await userEvent.click(screen.getByRole('button', { name: 'codePreview' }));
    expect(onHtml).toHaveBeenCalledWith('<b>x</b>');
  });
});

describe('pictures and media', () => {
  it('open large where the page can show them', async () => {
    const onImage = vi.fn();
    await render('![one](/1.png) ![two](/2.png)', { onImage });
    await userEvent.click(screen.getByRole('button', { name: 'imageOpen two' }));
    const [images, index] = onImage.mock.lastCall as [HTMLImageElement[], number];
    expect(images[index]?.alt).toBe('two');
  });

  it('become players by their extension', async () => {
    await render('![film](https://a.example/a.mp4) ![song](https://a.example/a.mp3)');
    expect(into.querySelector('video[controls][preload=none]')?.getAttribute('aria-label')).toBe('film');
    expect(into.querySelector('audio[controls][preload=none]')).not.toBeNull();
  });

  it('leave their whole description when they cannot be loaded', async () => {
    await render('![one](/1.png) ![](/2.png) [![three](/3.png)](/there)', { onImage: vi.fn() });
    for (const image of into.querySelectorAll('img')) fireEvent.error(image);
    expect(into.textContent?.trim()).toBe('one /2.png three');
    expect(into.querySelector('img, button')).toBeNull();
    expect(screen.getByRole('link', { name: 'three' }).textContent).toBe('three');
  });

  it('leave their description when they may not be shown', async () => {
    await render('![secret](http://tracker.example/p.png)');
    expect(into.textContent?.trim()).toBe('secret');
    expect(into.querySelector('img')).toBeNull();
  });
});

describe('tasks', () => {
  it('can be ticked only where the page allows it', async () => {
    await render('- [ ] one');
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'one' }).disabled).toBe(true);
    await render('- [ ] one', { tickTasks: true });
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'one' }).disabled).toBe(false);
  });
});

describe('long documents', () => {
  const text = Array.from({ length: 400 }, (_, i) => `## Part ${i}\n\n${'word '.repeat(60)}\n`).join('\n');

  it('are rendered whole, in sections', async () => {
    const { headings } = await render(text);
    expect(headings).toHaveLength(400);
    expect(into.children.length).toBeGreaterThan(1);
    expect(into.querySelectorAll('h2')).toHaveLength(400);
  });

  it('stop when asked', async () => {
    const stop = new AbortController();
    const done = render(text, { signal: stop.signal });
    stop.abort();
    await expect(done).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('replace what was shown before', async () => {
    await render('# Old');
    await render('');
    expect(into.childNodes).toHaveLength(0);
  });
});
