import { Document, ExternalHyperlink, HeadingLevel, Packer, Paragraph, TextRun } from 'docx';
import { zip } from './zip';

/** word makes a .docx with a heading, a text and two links, one of which a reader must not follow. */
export async function word(): Promise<Buffer<ArrayBuffer>> {
  const link = (text: string, to: string) =>
    new Paragraph({ children: [new ExternalHyperlink({ link: to, children: [new TextRun(text)] })] });
  const document = new Document({
    sections: [
      {
        children: [
          new Paragraph({ text: 'Harbour rules 港口守则', heading: HeadingLevel.HEADING_1 }),
          new Paragraph({ children: [new TextRun({ text: 'No fires on deck.', bold: true })] }),
          link('the port', 'https://example.org/port'),
          link('trap', 'javascript:parent.ppTrap=1'),
        ],
      },
    ],
  });
  return Buffer.from(await Packer.toArrayBuffer(document));
}

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const types = 'http://schemas.openxmlformats.org';
const office = `${types}/officeDocument/2006/relationships`;

/** sheet makes a .xlsx of two sheets. */
export function sheet(): Buffer<ArrayBuffer> {
  const cell = (at: string, text: string) => `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const page = (rows: string) =>
    `${head}<worksheet xmlns="${types}/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`;
  const override = (part: string, type: string) =>
    `<Override PartName="${part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml"/>`;
  return zip({
    '[Content_Types].xml': `${head}<Types xmlns="${types}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override('/xl/workbook.xml', 'sheet.main')}${override('/xl/worksheets/sheet1.xml', 'worksheet')}${override('/xl/worksheets/sheet2.xml', 'worksheet')}</Types>`,
    '_rels/.rels': `${head}<Relationships xmlns="${types}/package/2006/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${head}<workbook xmlns="${types}/spreadsheetml/2006/main" xmlns:r="${office}"><sheets><sheet name="Ships" sheetId="1" r:id="rId1"/><sheet name="泊位" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${head}<Relationships xmlns="${types}/package/2006/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/worksheet" Target="worksheets/sheet2.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': page(
      `<row r="1">${cell('A1', 'Ship')}${cell('B1', 'Draught')}</row><row r="2">${cell('A2', 'Aurora')}<c r="B2"><v>7.2</v></c></row>`,
    ),
    'xl/worksheets/sheet2.xml': page(`<row r="1">${cell('A1', '四号')}</row>`),
  });
}

/** pdf makes a PDF with one line of text on each page. */
export function pdf(lines: readonly string[]): Buffer<ArrayBuffer> {
  const kids = lines.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${lines.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...lines.flatMap((line, index) => {
      const content = `BT /F1 36 Tf 60 700 Td (${line}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text + table + end, 'latin1');
}
