const editor = {
  heading1: 'Heading 1',
  heading2: 'Heading 2',
  heading3: 'Heading 3',
  bold: 'Bold',
  italic: 'Italic',
  strike: 'Strikethrough',
  link: 'Link',
  linkText: 'text',
  bullets: 'Bulleted list',
  numbers: 'Numbered list',
  tasks: 'Task list',
  quote: 'Quote',
  code: 'Inline code',
  codeBlock: 'Code block',
  table: 'Table',
  column: 'Column',
  rule: 'Horizontal rule',
  undo: 'Undo',
  redo: 'Redo',
};

export default editor;
