import {
  AlignmentType,
  BorderStyle,
  Document,
  ExternalHyperlink,
  HeadingLevel,
  ImageRun,
  LevelFormat,
  Packer,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
  type IRunOptions,
  type ParagraphChild,
} from 'docx';
import { pictureOf, type Picture } from './pictures';

// A document of Word: paragraphs out of rendered Markdown, whose elements are few and known.

const numbering = 'numbers';
const headings = [
  HeadingLevel.HEADING_1,
  HeadingLevel.HEADING_2,
  HeadingLevel.HEADING_3,
  HeadingLevel.HEADING_4,
  HeadingLevel.HEADING_5,
  HeadingLevel.HEADING_6,
];
const codeFont = 'Consolas';
/** Widest picture, in pixels: the text's width on paper. */
const widest = 600;

type Block = Paragraph | Table;

/** Style is what the elements around a piece of text add to it. */
type Style = Pick<
  IRunOptions,
  | 'bold'
  | 'italics'
  | 'strike'
  | 'font'
  | 'color'
  | 'size'
  | 'highlight'
  | 'superScript'
  | 'subScript'
  | 'underline'
>;

/** Place is where a block stands: how deep in lists, in a quote, in a cell. */
interface Place {
  depth: number;
  quoted: boolean;
  /** list is the numbered list the next item belongs to. */
  instance: number;
}

class Writer {
  private lists = 0;

  constructor(private readonly pictures: ReadonlyMap<HTMLImageElement, Picture>) {}

  blocks(parent: ParentNode, place: Place): Block[] {
    const found: Block[] = [];
    let loose: Node[] = [];
    const flush = () => {
      const children = loose.flatMap((node) => this.inline(node, {}));
      if (children.length > 0) found.push(this.paragraph(children, place));
      loose = [];
    };
    for (const node of parent.childNodes) {
      if (node instanceof Element && isBlock(node)) {
        flush();
        found.push(...this.block(node, place));
      } else if (!(node instanceof Text) || node.data.trim() !== '' || loose.length > 0) loose.push(node);
    }
    flush();
    return found;
  }

  private block(element: Element, place: Place): Block[] {
    const { tagName } = element;
    const depth = /^H([1-6])$/.exec(tagName)?.[1];
    if (depth) {
      return [
        new Paragraph({
          heading: headings[Number(depth) - 1] ?? HeadingLevel.HEADING_6,
          children: this.inside(element),
        }),
      ];
    }
    switch (tagName) {
      case 'P':
        return [this.paragraph(this.inside(element), place)];
      case 'PRE':
        return [this.code(element)];
      case 'BLOCKQUOTE':
        return this.blocks(element, { ...place, quoted: true });
      case 'UL':
      case 'OL':
        return this.list(element, place);
      case 'TABLE':
        return [this.table(element)];
      case 'HR':
        return [
          new Paragraph({
            border: { bottom: { style: BorderStyle.SINGLE, size: 6, space: 1, color: '999999' } },
          }),
        ];
      default:
        return this.blocks(element, place);
    }
  }

  private paragraph(children: ParagraphChild[], { quoted, depth }: Place): Paragraph {
    return new Paragraph({
      children,
      spacing: { after: 120 },
      ...((quoted || depth > 0) && { indent: { left: 480 * (depth + Number(quoted)) } }),
      ...(quoted && { border: { left: { style: BorderStyle.SINGLE, size: 18, space: 8, color: 'BBBBBB' } } }),
    });
  }

  private list(list: Element, place: Place): Block[] {
    const ordered = list.tagName === 'OL';
    const instance = ordered ? ++this.lists : place.instance;
    return [...list.children].flatMap((item) => {
      const inner = { ...place, depth: place.depth + 1, instance };
      const own: Node[] = [];
      const below: Block[] = [];
      for (const node of item.childNodes) {
        const isNested = node instanceof Element && isBlock(node) && (node.tagName !== 'P' || own.length > 0);
        if (isNested) below.push(...this.block(node, inner));
        else if (below.length === 0) own.push(node);
        else below.push(this.paragraph(this.inline(node, {}), inner));
      }
      const level = Math.min(place.depth, 8);
      const head = new Paragraph({
        children: own.flatMap((node) => this.inline(node, {})),
        ...(ordered ? { numbering: { reference: numbering, level, instance } } : { bullet: { level } }),
      });
      return [head, ...below];
    });
  }

  private code(pre: Element): Paragraph {
    const lines = (pre.textContent ?? '').replace(/\n$/, '').split('\n');
    return new Paragraph({
      shading: { fill: 'F3F3F3' },
      spacing: { after: 120 },
      children: lines.map(
        (text, at) => new TextRun({ text, font: codeFont, size: 18, ...(at > 0 && { break: 1 }) }),
      ),
    });
  }

  private table(table: Element): Table {
    const rows = [...table.querySelectorAll('tr')].map(
      (row, at) =>
        new TableRow({
          tableHeader: at === 0 && row.querySelector('th') !== null,
          children: [...row.children].map(
            (cell) =>
              new TableCell({
                ...(cell.tagName === 'TH' && { shading: { fill: 'EEEEEE' } }),
                children: [
                  new Paragraph({
                    children: this.inside(cell, cell.tagName === 'TH' ? { bold: true } : {}),
                    alignment: alignmentOf(cell),
                  }),
                ],
              }),
          ),
        }),
    );
    return new Table({ rows, width: { size: 100, type: WidthType.PERCENTAGE } });
  }

  private inside(element: Element, style: Style = {}): ParagraphChild[] {
    return [...element.childNodes].flatMap((node) => this.inline(node, style));
  }

  private inline(node: Node, style: Style): ParagraphChild[] {
    if (node instanceof Text) {
      const text = node.data.replace(/\s+/g, ' ');
      return text === '' ? [] : [new TextRun({ ...style, text })];
    }
    if (!(node instanceof Element)) return [];
    const with_ = (more: Style) => this.inside(node, { ...style, ...more });
    switch (node.tagName) {
      case 'BR':
        return [new TextRun({ break: 1 })];
      case 'STRONG':
      case 'B':
        return with_({ bold: true });
      case 'EM':
      case 'I':
        return with_({ italics: true });
      case 'DEL':
      case 'S':
        return with_({ strike: true });
      case 'U':
      case 'INS':
        return with_({ underline: {} });
      case 'MARK':
        return with_({ highlight: 'yellow' });
      case 'SUP':
        return with_({ superScript: true });
      case 'SUB':
        return with_({ subScript: true });
      case 'CODE':
      case 'KBD':
      case 'SAMP':
        return with_({ font: codeFont });
      case 'INPUT':
        return [new TextRun({ ...style, text: node.hasAttribute('checked') ? '\u2611 ' : '\u2610 ' })];
      case 'IMG':
        return node instanceof HTMLImageElement ? [this.image(node, style)] : [];
      case 'A': {
        const href = node.getAttribute('href') ?? '';
        const children = with_({ color: '0A6A6A', underline: {} });
        if (!/^(?:https?|mailto):/.test(href)) return with_({});
        return [new ExternalHyperlink({ link: href, children })];
      }
      default:
        return with_(/\bmd-(?:math|formula)\b/.test(node.className) ? { font: codeFont } : {});
    }
  }

  private image(image: HTMLImageElement, style: Style): ParagraphChild {
    const picture = this.pictures.get(image);
    if (!picture) return new TextRun({ ...style, text: image.alt || image.src, italics: true });
    const scale = Math.min(1, widest / picture.width);
    return new ImageRun({
      type: 'png',
      data: picture.bytes,
      transformation: {
        width: Math.round(picture.width * scale),
        height: Math.round(picture.height * scale),
      },
      altText: { name: image.alt || 'image', title: image.alt, description: image.alt },
    });
  }
}

const blockNames =
  /^(?:P|H[1-6]|PRE|BLOCKQUOTE|UL|OL|TABLE|HR|DIV|SECTION|DETAILS|FIGURE|ARTICLE|SUMMARY|DL|DT|DD|CENTER|FIGCAPTION)$/;
const isBlock = (element: Element) => blockNames.test(element.tagName);

const alignmentOf = (cell: Element) =>
  ({ center: AlignmentType.CENTER, right: AlignmentType.RIGHT })[cell.getAttribute('align') ?? ''] ??
  AlignmentType.LEFT;

/** wordOf makes a .docx of rendered, sanitised content. Answers also how many pictures could not be read. */
export async function wordOf(
  content: HTMLElement,
  title: string,
  signal: AbortSignal,
): Promise<{ file: Blob; missing: number }> {
  const pictures = new Map<HTMLImageElement, Picture>();
  let missing = 0;
  for (const image of content.querySelectorAll('img')) {
    signal.throwIfAborted();
    const picture = await pictureOf(image, signal).catch(() => undefined);
    if (picture) pictures.set(image, picture);
    else missing++;
  }
  const document = new Document({
    title,
    numbering: {
      config: [
        {
          reference: numbering,
          levels: Array.from({ length: 9 }, (_, level) => ({
            level,
            format: LevelFormat.DECIMAL,
            text: `%${level + 1}.`,
            alignment: AlignmentType.START,
            style: { paragraph: { indent: { left: 480 * (level + 1), hanging: 360 } } },
          })),
        },
      ],
    },
    sections: [{ children: new Writer(pictures).blocks(content, { depth: 0, quoted: false, instance: 0 }) }],
  });
  signal.throwIfAborted();
  return { file: await Packer.toBlob(document), missing };
}
