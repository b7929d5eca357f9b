const markdownView = {
  code: 'Code',
  codePlain: 'text',
  codeNamed: 'Code in %{language}',
  codeLines: '%{smart_count} line |||| %{smart_count} lines',
  codeCopy: 'Copy',
  codeCopied: 'Copied',
  codeCopyFailed: 'Not copied',
  codePreview: 'Preview',
  codeUnfold: 'Show the line |||| Show all %{smart_count} lines',
  codeFold: 'Show less',
  contents: 'Contents',
  footnoteBack: 'Back to the text',
  imageOpen: 'Enlarge image %{name}',
  table: 'Table',
  task: 'Task',
  taskLocal: 'Ticking is not saved',
};

export default markdownView;
