const exports = {
  copyMarkdown: 'Copy as Markdown',
  copyHtml: 'Copy as HTML',
  copyPlain: 'Copy as plain text',
  markdown: 'Export as Markdown',
  html: 'Export as HTML',
  word: 'Export as Word',
  pngLight: 'Export as PNG, light',
  pngDark: 'Export as PNG, dark',
  busy: 'Preparing export…',
  tooLong: 'The text is too long for an image. Export it as HTML or PDF.',
  pdf: 'Print or export as PDF',
  open: 'Export',
  menu: 'Copy or export',
  copied: 'Copied',
  notCopied: 'Couldn’t copy',
  failed: 'The text couldn’t be exported',
  images:
    '%{smart_count} image couldn’t be read and was replaced by a link |||| %{smart_count} images couldn’t be read and were replaced by links',
  empty: 'There’s no text to export yet',
  raw: {
    title: 'Include the password in the link?',
    body: 'Anyone who sees this link can read the text, and each opening uses a view.',
    confirm: 'Use the link',
  },
};

export default exports;
