import { codeBlock } from './codeBlock';
import type { Decorations } from './decorations';
import { diagram } from './diagram';
import type { Heading } from './headings';
import styles from './markdown.module.css';

/** decorate adds controls to sanitised nodes. `root` is not in the page yet. */
export async function decorate(root: DocumentFragment, opts: Decorations): Promise<void> {
  for (const image of root.querySelectorAll('img')) finishImage(image, opts);
  for (const table of root.querySelectorAll('table')) scrollBox(table, opts);
  for (const box of root.querySelectorAll<HTMLInputElement>('input[type=checkbox]')) taskBox(box, opts);
  for (const back of root.querySelectorAll('a.md-fnback')) {
    back.setAttribute('aria-label', opts.label('footnoteBack'));
  }
  for (const code of root.querySelectorAll<HTMLElement>('pre > code.language-math')) mathBlock(code);
  for (const code of root.querySelectorAll<HTMLElement>('pre > code.language-mermaid')) diagram(code, opts);
  for (const code of root.querySelectorAll<HTMLElement>('pre > code')) codeBlock(code, opts);
  const formulas = root.querySelectorAll<HTMLElement>('.md-math, .md-formula');
  if (formulas.length > 0) await (await import('./math')).setFormulas(formulas);
}

/** mathBlock makes a fenced block of math a formula. */
function mathBlock(code: HTMLElement) {
  const place = document.createElement('div');
  place.className = 'md-formula';
  place.textContent = code.textContent;
  code.parentElement?.replaceWith(place);
}

const players = {
  video: /\.(?:mp4|webm|ogv|mov)(?:[?#]|$)/i,
  audio: /\.(?:mp3|ogg|oga|wav|flac|m4a|aac)(?:[?#]|$)/i,
};

function finishImage(image: HTMLImageElement, opts: Decorations) {
  if (image.dataset.held !== undefined) {
    holdBack(image, image.dataset.held, opts);
    return;
  }
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
  image.addEventListener('error', () => leaveText(image, src));
  if (!opts.onImage || image.closest('a, button')) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = styles.image ?? '';
  button.setAttribute('aria-label', opts.label('imageOpen', { name: image.alt }).trim());
  image.replaceWith(button);
  button.append(image);
  button.addEventListener('click', () => {
    const article = button.closest(`.${styles.markdown}`);
    const images = [...(article ?? document).querySelectorAll<HTMLImageElement>(`.${styles.image} > img`)];
    opts.onImage?.(images, images.indexOf(image));
  });
}

/** leaveText puts the description of a picture in its place, where it could not be loaded. */
function leaveText(image: HTMLImageElement, src: string) {
  const text = document.createElement('span');
  text.className = styles.missing ?? '';
  text.textContent = image.alt || src;
  (image.closest('button') ?? image).replaceWith(text);
}

/** holdBack puts a button in the place of a picture, which comes when it is pressed. */
function holdBack(image: HTMLImageElement, src: string, opts: Decorations) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = styles.held ?? '';
  button.textContent = opts.label('imageHeld', { site: new URL(src, location.href).host });
  const name = document.createElement('span');
  name.textContent = image.alt;
  if (image.alt) button.append(name);
  const inLink = image.closest('a') !== null;
  image.replaceWith(button);
  button.addEventListener('click', (event) => {
    // The button may stand in a link, which is not what was meant.
    event.preventDefault();
    delete image.dataset.held;
    image.src = src;
    button.replaceWith(image);
    finishImage(image, opts);
    if (!inLink) image.closest('button')?.focus();
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
