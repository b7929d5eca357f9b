import type { Heading } from './headings';
import styles from './markdown.module.css';

/** Blocks with more than this are folded at first (screens §4.4). */
const foldLines = 15;
const foldCharacters = 2000;

/** What a rendered text offers to its reader, and in which words. */
export interface Decorations {
  /** Message of this area for a key such as `codeCopy`. */
  label: (key: string, values?: Record<string, string | number>) => string;
  copy: (text: string) => Promise<boolean>;
  /** Boxes of tasks can be ticked on the page; nothing is saved. */
  tickTasks?: boolean;
  /** Called with all pictures of the text and the one that was chosen. */
  onImage?: (images: HTMLImageElement[], index: number) => void;
  /** Called with the source of an HTML or SVG block. */
  onHtml?: (source: string) => void;
}

/** decorate adds controls to sanitised nodes. `root` is not in the page yet. */
export function decorate(root: DocumentFragment, opts: Decorations) {
  for (const image of root.querySelectorAll('img')) finishImage(image, opts);
  for (const code of root.querySelectorAll<HTMLElement>('pre > code')) codeBlock(code, opts);
  for (const table of root.querySelectorAll('table')) scrollBox(table, opts);
  for (const box of root.querySelectorAll<HTMLInputElement>('input[type=checkbox]')) taskBox(box, opts);
  for (const back of root.querySelectorAll('a.md-fnback')) {
    back.setAttribute('aria-label', opts.label('footnoteBack'));
  }
}

const players = {
  video: /\.(?:mp4|webm|ogv|mov)(?:[?#]|$)/i,
  audio: /\.(?:mp3|ogg|oga|wav|flac|m4a|aac)(?:[?#]|$)/i,
};

function finishImage(image: HTMLImageElement, opts: Decorations) {
  const src = image.getAttribute('src');
  if (src === null) {
    image.replaceWith(document.createTextNode(image.alt));
    return;
  }
  if (!src.startsWith('data:')) {
    const kind = players.video.test(src) ? 'video' : players.audio.test(src) ? 'audio' : null;
    if (kind) {
      const player = document.createElement(kind);
      player.src = src;
      player.controls = true;
      player.preload = 'none';
      player.setAttribute('aria-label', image.alt || src);
      image.replaceWith(player);
      return;
    }
  }
  if (!opts.onImage || image.closest('a, button')) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = styles.image ?? '';
  button.setAttribute('aria-label', opts.label('imageOpen', { name: image.alt }));
  image.replaceWith(button);
  button.append(image);
  button.addEventListener('click', () => {
    const article = button.closest(`.${styles.markdown}`);
    const images = [...(article ?? document).querySelectorAll<HTMLImageElement>(`.${styles.image} > img`)];
    opts.onImage?.(images, images.indexOf(image));
  });
}

function scrollBox(table: HTMLTableElement, opts: Decorations) {
  const box = document.createElement('div');
  box.className = styles.table ?? '';
  box.tabIndex = 0;
  box.setAttribute('role', 'region');
  box.setAttribute('aria-label', table.caption?.textContent?.trim() || opts.label('table'));
  table.replaceWith(box);
  box.append(table);
}

function taskBox(box: HTMLInputElement, opts: Decorations) {
  const item = box.closest('li');
  box.setAttribute('aria-label', (item?.textContent ?? '').trim().slice(0, 120) || opts.label('task'));
  item?.classList.add(styles.task ?? '');
  if (!opts.tickTasks) return;
  box.disabled = false;
  box.title = opts.label('taskLocal');
}

function codeBlock(code: HTMLElement, opts: Decorations) {
  const pre = code.parentElement;
  if (!pre) return;
  const text = (code.textContent ?? '').replace(/\n$/, '');
  const word =
    [...code.classList].find((name) => name.startsWith('language-'))?.slice('language-'.length) ?? '';
  const lines = text.split('\n').length;

  const figure = document.createElement('figure');
  figure.className = styles.code ?? '';
  pre.replaceWith(figure);
  figure.append(codeBar(text, word, lines, opts), codeBody(pre, code, text, word, lines, opts));
  if (lines > foldLines || text.length > foldCharacters) figure.append(foldButton(figure, lines, opts));
  if (word) colourWhenSeen(figure, code, text, word);
}

function codeBar(text: string, word: string, lines: number, opts: Decorations): HTMLElement {
  const bar = document.createElement('figcaption');
  bar.className = styles.bar ?? '';
  const name = document.createElement('span');
  name.className = styles.language ?? '';
  name.textContent = word || opts.label('codePlain');
  const count = document.createElement('span');
  count.textContent = opts.label('codeLines', { smart_count: lines });
  bar.append(name, count);
  if (opts.onHtml && /^(?:html?|xhtml|svg)$/i.test(word)) {
    bar.append(barButton(opts.label('codePreview'), () => opts.onHtml?.(text)));
  }
  const copy = barButton(opts.label('codeCopy'), async () => {
    const done = await opts.copy(text);
    copy.textContent = opts.label(done ? 'codeCopied' : 'codeCopyFailed');
    setTimeout(() => {
      copy.textContent = opts.label('codeCopy');
    }, 2000);
  });
  copy.setAttribute('aria-live', 'polite');
  bar.append(copy);
  return bar;
}

function barButton(name: string, action: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = name;
  button.addEventListener('click', action);
  return button;
}

function codeBody(
  pre: HTMLElement,
  code: HTMLElement,
  text: string,
  word: string,
  lines: number,
  opts: Decorations,
): HTMLElement {
  code.textContent = text;
  const numbers = document.createElement('span');
  numbers.className = styles.numbers ?? '';
  numbers.setAttribute('aria-hidden', 'true');
  numbers.textContent = Array.from({ length: lines }, (_, index) => index + 1).join('\n');
  pre.prepend(numbers);
  pre.tabIndex = 0;
  pre.setAttribute('role', 'region');
  pre.setAttribute('aria-label', word ? opts.label('codeNamed', { language: word }) : opts.label('code'));
  return pre;
}

function foldButton(figure: HTMLElement, lines: number, opts: Decorations): HTMLElement {
  const button = barButton('', () => show(figure.dataset.folded !== undefined));
  button.className = styles.fold ?? '';
  const show = (whole: boolean) => {
    if (whole) delete figure.dataset.folded;
    else figure.dataset.folded = '';
    button.setAttribute('aria-expanded', String(whole));
    button.textContent = whole ? opts.label('codeFold') : opts.label('codeUnfold', { smart_count: lines });
  };
  show(false);
  return button;
}

// Colours come when a block is near the window, so that a long text with many
// blocks does not fetch and run what nobody looks at.
function colourWhenSeen(figure: HTMLElement, code: HTMLElement, text: string, word: string) {
  const colour = async () => {
    const { highlight } = await import('./highlight');
    const html = await highlight(text, word);
    if (html !== null) code.innerHTML = html;
  };
  if (typeof IntersectionObserver === 'undefined') {
    void colour();
    return;
  }
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      void colour();
    },
    { rootMargin: '600px' },
  );
  observer.observe(figure);
}

/** fillContents puts the list of headings where the author asked for it. */
export function fillContents(into: ParentNode, headings: Heading[], opts: Decorations) {
  for (const place of into.querySelectorAll('.md-toc')) {
    const nav = document.createElement('nav');
    nav.className = styles.contents ?? '';
    nav.setAttribute('aria-label', opts.label('contents'));
    const list = document.createElement('ul');
    const top = Math.min(...headings.map((heading) => heading.depth));
    for (const heading of headings) {
      const item = document.createElement('li');
      item.dataset.level = String(heading.depth - top);
      const link = document.createElement('a');
      link.href = `#${heading.id}`;
      link.textContent = heading.text;
      item.append(link);
      list.append(item);
    }
    nav.append(list);
    place.replaceWith(nav);
  }
}
