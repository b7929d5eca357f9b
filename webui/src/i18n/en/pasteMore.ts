const pasteMore = {
  edit: 'Edit',
  copied: 'Copied',
  notCopied: 'Copying is not possible here',
  copyRaw: 'Copy raw link',
  raw: 'Open raw text',
  print: 'Print',
  fork: 'Use for a new text',
  remove: 'Delete',
  delete: {
    title: 'Delete “%{name}”?',
    body: 'The text and its link are deleted for good.',
    done: 'The share was deleted',
    failed: 'The share could not be deleted. %{reason}',
    notFound: 'It is no longer in your list.',
  },
};

export default pasteMore;
