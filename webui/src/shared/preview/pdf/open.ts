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

/** openPdf reads a document. Nothing that it brings is run. Its owner destroys it. */
export function openPdf(bytes: Uint8Array): Promise<PDFDocumentProxy> {
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
