const fileView = {
  place: 'Shared file',
  actions: {
    label: 'Actions',
    download: 'Download',
    open: 'Open in the browser',
    share: 'Share',
    copied: 'The link is on the clipboard',
    notCopied: 'Copying is not possible here',
    qr: 'QR code',
    delete: 'Delete',
  },
  preview: 'Preview',
  facts: {
    title: 'Facts',
    created: 'Uploaded',
    views: 'Views',
    viewsOf: '%{views} of %{limit}',
    expires: 'Expires',
    never: 'Never',
    access: 'Access',
    proxied: 'through this server',
    direct: 'straight from the storage',
    link: 'Share link',
    copyLink: 'Copy share link',
  },
  lastView: 'This was the last view. Download the file now: the link no longer works.',
  oneLeft: 'The link opens once more.',
  stale: {
    title: 'The download link has run out',
    body: 'A fresh one takes another view of this share.',
    confirm: 'Get a fresh link',
    failed: 'The download link may have run out. Reload the page to get a new one.',
  },
  delete: {
    title: 'Delete “%{name}”?',
    body: 'The file, its share and its link are deleted for good.',
    failed: 'The file could not be deleted. %{reason}',
  },
  deleted: {
    title: 'The file was deleted',
    body: 'Its link no longer works.',
    returning: 'To the home page in %{smart_count} second. |||| To the home page in %{smart_count} seconds.',
    stay: 'Stay here',
    home: 'To the home page',
  },
};

export default fileView;
