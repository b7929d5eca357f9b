import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from 'pdfjs-dist';
import worker from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

// Tables of characters for Chinese, Japanese and Korean; each is fetched when a document needs it. Those for
// UTF-8 and UTF-32 are none that documents may name (ISO 32000-1, table 118), and a third of the bytes.
const tables = import.meta.glob<string>(
  [
    '/node_modules/pdfjs-dist/cmaps/*.bcmap',
    '!/node_modules/pdfjs-dist/cmaps/*-UTF8-*.bcmap',
    '!/node_modules/pdfjs-dist/cmaps/*-UTF32-*.bcmap',
  ],
  { query: '?url', import: 'default', eager: true },
);

/** Tables hands pdf.js the tables that it names; other files it asks for, such as fonts, are not there. */
class Tables {
  async fetch({ filename }: { filename: string }) {
    const address = tables[`/node_modules/pdfjs-dist/cmaps/${filename}`];
    if (!address) throw new Error(`no table of characters ${filename}`);
    const response = await fetch(address);
    if (!response.ok) throw new Error(`table of characters ${filename}: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }
}

/** holdsObjects says whether a document has anything to draw: each object begins with "obj", in a damaged one, too. */
export function holdsObjects(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0x6f); at >= 0; at = bytes.indexOf(0x6f, at + 1))
    if (bytes[at + 1] === 0x62 && bytes[at + 2] === 0x6a) return true;
  return false;
}

/** prepare fetches what reads documents while the document itself is on its way. */
export const prepare = async (): Promise<void> => {
  await fetch(worker);
};

/** openPdf reads a document. Nothing that it brings is run. Its owner destroys it. */
export function openPdf(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  // Without this it would be searched for what is not there, once its reader has begun.
  if (!holdsObjects(bytes)) return Promise.reject(new Error('not a PDF'));
  GlobalWorkerOptions.workerSrc = worker;
  return getDocument({
    data: bytes,
    isEvalSupported: false,
    enableXfa: false,
    useWorkerFetch: false,
    useSystemFonts: true,
    BinaryDataFactory: Tables,
  }).promise;
}
