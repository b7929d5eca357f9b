import { cspNonce } from '../../../config';
import { framedHtml } from '../framedHtml';
import { unpacksSafely } from '../zip';

/** What docx-preview asks to be made. */
interface Made {
  ns?: string;
  tagName: string;
  className?: string;
  style?: Record<string, string> | string;
  children?: (Made | Node | string)[];
  [property: string]: unknown;
}

// A page wider than the frame begins at its left edge, where scrolling reaches it; on a phone the text flows instead.
const fit = `
  body { margin: 0; }
  .docx-wrapper { align-items: safe center !important; min-width: max-content; }
  @media (max-width: 700px) {
    .docx-wrapper { min-width: 0; padding: 0 !important; align-items: stretch !important; }
    .docx-wrapper > section.docx {
      width: auto !important; min-height: 0 !important; margin: 0 !important; padding: 16px !important;
      overflow-x: auto; box-shadow: none !important;
    }
    .docx img { max-width: 100%; height: auto !important; }
  }
`;

/**
 * wordDocument turns the bytes of a .docx into HTML for a sandboxed frame. It
 * is built in a document that is never shown and runs nothing. Rejects for
 * what is no such file or would unpack to more than a page can bear.
 */
export async function wordDocument(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (!unpacksSafely(bytes)) throw new Error('not a document that can be unpacked here');
  const { parseAsync, renderDocument } = await import('docx-preview');
  const page = document.implementation.createHTMLDocument('');
  const options = {
    h: (made: Made | Node | string) => build(page, made),
    // Embedded HTML would come in frames of its own.
    renderAltChunks: false,
    // Pictures and fonts have to stand in the document itself.
    useBase64URL: true,
  };
  const parsed: unknown = await parseAsync(new Blob([bytes]), options);
  for (const node of await renderDocument(parsed, options)) page.body.append(page.adoptNode(node));
  for (const link of page.querySelectorAll('a[href]')) tame(link);
  page.body.append(build(page, { tagName: 'style', children: [fit] }));
  return framedHtml(page.documentElement.outerHTML, false, cspNonce());
}

function build(page: Document, made: Made | Node | string): Node {
  if (typeof made === 'string') return page.createTextNode(made);
  if (made instanceof Node) return made;
  const { ns, tagName, className, style, children = [], ...properties } = made;
  if (tagName === '#comment') return page.createComment('');
  if (tagName === '#fragment') {
    const fragment = page.createDocumentFragment();
    fragment.append(...children.map((child) => build(page, child)));
    return fragment;
  }
  const element = ns ? page.createElementNS(ns, tagName) : page.createElement(tagName);
  // This document, too, obeys the page's policy.
  if (tagName === 'style') element.setAttribute('nonce', cspNonce());
  if (className) element.setAttribute('class', className);
  if (typeof style === 'string') element.setAttribute('style', style);
  else if (style && 'style' in element) Object.assign(element.style as CSSStyleDeclaration, style);
  for (const [name, value] of Object.entries(properties))
    if (value !== undefined) Reflect.set(element, name, value);
  element.append(...children.map((child) => build(page, child)));
  return element;
}

/** tame lets a link lead within the document, or to another site in a tab of its own; to nothing else. */
function tame(link: Element) {
  const target = link.getAttribute('href') ?? '';
  if (target.startsWith('#')) return;
  if (!/^(https?|mailto):/i.test(target)) {
    link.removeAttribute('href');
    return;
  }
  link.setAttribute('target', '_blank');
  link.setAttribute('rel', 'noopener noreferrer nofollow');
}
