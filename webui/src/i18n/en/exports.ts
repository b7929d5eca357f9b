const exports = {
  copyMarkdown: 'Copy as Markdown',
  copyHtml: 'Copy as HTML',
  copyPlain: 'Copy as plain text',
  markdown: 'Save as Markdown',
  html: 'Save as HTML',
  word: 'Save as Word',
  pngLight: 'Save as PNG, light',
  pngDark: 'Save as PNG, dark',
  busy: 'The export is being prepared',
  tooLong: 'The text is too long for one picture. Save it as HTML or PDF.',
  pdf: 'Print or save as PDF',
  open: 'Export',
  menu: 'Copy as and export',
  copied: 'Copied',
  notCopied: 'Copying is not possible here',
  failed: 'The text could not be exported',
  images:
    '%{smart_count} picture could not be read and is a link instead |||| %{smart_count} pictures could not be read and are links instead',
  empty: 'There is no text to export yet',
  raw: {
    title: 'Put the password into the link?',
    body: 'The raw link carries the password in its address. Anyone who sees the link can read the text, and each opening takes a view.',
    confirm: 'Use the link',
  },
};

export default exports;
