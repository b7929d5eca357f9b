import type { Decorations } from './decorations';
import { whenSeen } from './diagram';
import styles from './markdown.module.css';

/** Blocks with more than this are folded at first. */
const foldLines = 15;
const foldCharacters = 2000;

/** codeBlock gives a block of code its bar, line numbers, fold and colours. */
export function codeBlock(code: HTMLElement, opts: Decorations) {
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
  whenSeen(figure, async () => {
    const [{ highlight }, { codeName }] = await Promise.all([import('./highlight'), import('./codeNames')]);
    const name = figure.querySelector('figcaption > span');
    if (name) name.textContent = codeName(word);
    const html = await highlight(text, word);
    if (html !== null) code.innerHTML = html;
  });
}
