const blocks = /^(?:P|DIV|H[1-6]|PRE|BLOCKQUOTE|UL|OL|TABLE|HR|SECTION|FIGURE|DETAILS|ARTICLE)$/;

/** plainText reads rendered Markdown as text: blocks apart, one line an item, cells apart by tabs. */
export function plainText(root: Node): string {
  return read(root)
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function read(node: Node): string {
  if (node instanceof Text) return inPre(node) ? node.data : node.data.replace(/\s+/g, ' ');
  if (!(node instanceof Element) && !(node instanceof DocumentFragment)) return '';
  const inside = [...node.childNodes].filter(counts).map(read).join('');
  if (!(node instanceof Element)) return inside;
  switch (node.tagName) {
    case 'BR':
      return '\n';
    case 'IMG':
      return node.getAttribute('alt') ?? '';
    case 'INPUT':
      return node.hasAttribute('checked') ? '[x] ' : '[ ] ';
    case 'TD':
    case 'TH':
      return `${inside.trim()}${node.nextElementSibling ? '\t' : ''}`;
    case 'TR':
      return `${inside}\n`;
    case 'LI':
      return `${sign(node)}${inside.trim()}\n`;
  }
  const nested = /^[UO]L$/.test(node.tagName) && node.parentElement?.tagName === 'LI';
  if (nested) return `\n${inside.trimEnd().replace(/^/gm, '  ')}`;
  return blocks.test(node.tagName) ? `\n\n${inside.trim()}\n\n` : inside;
}

const inPre = (node: Text) => Boolean(node.parentElement?.closest('pre'));

// White space between blocks is how the HTML is laid out, not text.
const counts = (node: Node) =>
  !(node instanceof Text) ||
  inPre(node) ||
  node.data.trim() !== '' ||
  !/^(?:UL|OL|TABLE|THEAD|TBODY|TR|ARTICLE|BLOCKQUOTE|LI)$/.test(node.parentElement?.tagName ?? '');

function sign(item: Element): string {
  if (item.parentElement?.tagName !== 'OL') return '- ';
  const first = Number(item.parentElement.getAttribute('start') ?? 1);
  return `${first + [...item.parentElement.children].indexOf(item)}. `;
}
