const pasteMore = {
  edit: 'Edit',
  versions: 'Version history',
  copied: 'Copied',
  notCopied: 'Couldn’t copy',
  copyRaw: 'Copy raw link',
  raw: 'Open raw text',
  print: 'Print',
  fork: 'Duplicate as new text',
  remove: 'Delete',
  delete: {
    title: 'Delete “%{name}”?',
    body: 'The text and its link will be permanently deleted.',
    done: 'Share deleted',
    failed: 'The share couldn’t be deleted. %{reason}',
    notFound: 'It’s no longer in your list.',
  },
};

export default pasteMore;
