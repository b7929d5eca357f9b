import createPurify, { type Config, type DOMPurify } from 'dompurify';

/** Every id in rendered Markdown starts with this, so none can stand in for one of the page's own. */
export const idPrefix = 'md-';

/** Longest data: image, in characters of its address (about 100 kB of image). */
const longestDataImage = 137_000;

const allowedTags = [
  ...[
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'p',
    'br',
    'hr',
    'blockquote',
    'pre',
    'code',
    'div',
    'span',
    'section',
  ],
  ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ...['a', 'img', 'figure', 'figcaption', 'video', 'audio', 'source', 'details', 'summary', 'input'],
  ...[
    'strong',
    'b',
    'em',
    'i',
    'u',
    's',
    'del',
    'ins',
    'mark',
    'small',
    'sub',
    'sup',
    'q',
    'cite',
    'abbr',
    'kbd',
  ],
  ...['samp', 'var', 'time', 'ruby', 'rb', 'rt', 'rp', 'wbr', 'center'],
];

const allowedAttributes = [
  ...['href', 'src', 'alt', 'title', 'id', 'class', 'lang', 'dir', 'align', 'width', 'height'],
  ...[
    'colspan',
    'rowspan',
    'scope',
    'start',
    'reversed',
    'value',
    'type',
    'checked',
    'disabled',
    'open',
    'datetime',
  ],
];

const ownClasses = new Set(['md-toc', 'md-fnref', 'md-fnback', 'md-footnotes', 'md-math', 'md-formula']);
const languageClass = /^language-[\w+#.-]{1,40}$/;

const config: Config & { RETURN_DOM_FRAGMENT: true } = {
  // Nothing of SVG or MathML passes, under whatever parent it is written.
  ALLOWED_NAMESPACES: ['http://www.w3.org/1999/xhtml'],
  ALLOWED_TAGS: allowedTags,
  ALLOWED_ATTR: allowedAttributes,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  FORBID_TAGS: ['style', 'form'],
  FORBID_ATTR: ['style'],
  RETURN_DOM_FRAGMENT: true,
};

let purifier: DOMPurify | undefined;

/**
 * sanitize returns what the allow list leaves of an author's HTML, as nodes
 * that belong to no document tree yet. It never returns text that would be
 * parsed a second time. With holdImages, the address of a picture of another
 * site stands in its data-held, so that nothing is fetched.
 */
export function sanitize(html: string, holdImages = false): DocumentFragment {
  purifier ??= makePurifier();
  held = holdImages;
  return purifier.sanitize(html, config);
}

// Whether the pictures of the text at hand wait; it is sanitised in one go.
let held = false;

function makePurifier(): DOMPurify {
  const purify = createPurify(window);
  purify.addHook('uponSanitizeAttribute', (node, data) => {
    if (data.attrName === 'id') data.attrValue = idPrefix + data.attrValue;
    if (data.attrName === 'class') {
      data.attrValue = keptClasses(node, data.attrValue);
      if (!data.attrValue) data.keepAttr = false;
    }
    if (data.attrName === 'href' || data.attrName === 'src') {
      const safe = safeAddress(data.attrValue, data.attrName === 'href' ? 'link' : mediaOf(node));
      if (safe === null) data.keepAttr = false;
      else data.attrValue = safe;
    }
  });
  purify.addHook('afterSanitizeAttributes', (node) => {
    if (node.nodeName === 'A') finishLink(node);
    if (node.nodeName === 'IMG') finishImage(node);
    if (node.nodeName === 'VIDEO' || node.nodeName === 'AUDIO') finishMedia(node);
    if (node.nodeName === 'INPUT') finishInput(node);
  });
  return purify;
}

function keptClasses(node: Element, value: string): string {
  const kept = value
    .split(/\s+/)
    .filter((name) => ownClasses.has(name) || (node.nodeName === 'CODE' && languageClass.test(name)));
  return kept.join(' ');
}

type Use = 'link' | 'image' | 'media';

function mediaOf(node: Element): Use {
  return node.nodeName === 'IMG' ? 'image' : 'media';
}

const dataImage = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[a-z0-9+/=\s]+$/i;

/**
 * safeAddress returns the address to keep, or null. Links go to http, https,
 * mailto and own paths; images and media come by https or from this server,
 * and small images may stand in the address itself.
 */
export function safeAddress(value: string, use: Use): string | null {
  const address = value.trim();
  if (use === 'link' && address.startsWith('#')) return '#' + idPrefix + decoded(address.slice(1));
  if (use === 'image' && /^data:/i.test(address)) {
    return address.length <= longestDataImage && dataImage.test(address) ? address : null;
  }
  let url: URL;
  try {
    url = new URL(address, window.location.href);
  } catch {
    return null;
  }
  if (url.username || url.password) return null;
  if (url.protocol === 'https:') return address;
  if (use === 'link') return url.protocol === 'http:' || url.protocol === 'mailto:' ? address : null;
  return url.origin === window.location.origin ? address : null;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function finishLink(node: Element) {
  const href = node.getAttribute('href');
  if (href === null) return;
  if (href.startsWith('#')) return;
  node.setAttribute('rel', 'noopener noreferrer nofollow');
  if (/^(?:https?:|\/\/)/i.test(href)) node.setAttribute('target', '_blank');
}

function finishImage(node: Element) {
  if (!node.hasAttribute('alt')) node.setAttribute('alt', '');
  node.setAttribute('loading', 'lazy');
  node.setAttribute('decoding', 'async');
  node.setAttribute('referrerpolicy', 'no-referrer');
  const src = node.getAttribute('src');
  if (!held || !src || src.startsWith('data:') || new URL(src, location.href).origin === location.origin)
    return;
  node.setAttribute('data-held', src);
  node.removeAttribute('src');
}

function finishMedia(node: Element) {
  node.setAttribute('controls', '');
  node.setAttribute('preload', 'none');
}

// The only control Markdown knows is the box of a task.
function finishInput(node: Element) {
  for (const name of ['value', 'width', 'height']) node.removeAttribute(name);
  node.setAttribute('type', 'checkbox');
  node.setAttribute('disabled', '');
}
