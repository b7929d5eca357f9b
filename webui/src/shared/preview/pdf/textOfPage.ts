import type { PDFDocumentProxy } from 'pdfjs-dist';

const read = new WeakMap<PDFDocumentProxy, Map<number, Promise<string>>>();

/** textOfPage is the text of a page in lower case, read once. */
export function textOfPage(pdf: PDFDocumentProxy, number: number): Promise<string> {
  const pages = read.get(pdf) ?? new Map<number, Promise<string>>();
  read.set(pdf, pages);
  const known = pages.get(number);
  if (known) return known;
  const text = pdf
    .getPage(number)
    .then((page) => page.getTextContent())
    .then(({ items }) =>
      items.map((item) => ('str' in item ? item.str + (item.hasEOL ? ' ' : '') : '')).join(''),
    )
    .then((all) => all.toLowerCase());
  pages.set(number, text);
  return text;
}
