/** SourceHeading is a heading in the source of a Markdown text. */
interface SourceHeading {
  text: string;
  depth: number;
  /** position of its line in the text. */
  position: number;
}

/** sourceHeadings finds the headings that begin with #, outside of fenced code. */
export function sourceHeadings(text: string): SourceHeading[] {
  const found: SourceHeading[] = [];
  let fence = '';
  for (const match of text.matchAll(
    /^ {0,3}(?:(`{3,}|~{3,})[^\n]*|(#{1,6})(?:[ \t]+([^\n]*?))?(?:[ \t]+#+)?[ \t]*)$/gm,
  )) {
    const [, mark, signs, words = ''] = match;
    if (mark) {
      if (!fence) fence = mark;
      else if (mark.startsWith(fence)) fence = '';
    } else if (signs && !fence) {
      const plain = words.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[*_`~]+/g, '');
      found.push({ text: plain.trim(), depth: signs.length, position: match.index });
    }
  }
  return found;
}
