const shareBox = {
  title: 'Shared',
  link: 'Link',
  copy: 'Copy link',
  copyBoth: 'Copy link and password',
  linkAndPassword: '%{link}\nPassword: %{password}',
  qr: 'QR code',
  open: 'Open',
  raw: 'Raw text',
  copyRaw: 'Copy raw link',
  rawCaution: 'The raw link includes the password. Anyone who sees the link can read the text.',
  curl: 'Use it in a terminal',
  native: 'Share…',
  another: 'New share',
  keepEditing: 'Keep editing',
  tell: 'Tell me when it’s opened',
  tellNowhere: 'You’ll be told once you add a channel: open the account menu and choose “Notifications”.',
  close: 'Close',
  autoCopied: 'Link copied to the clipboard.',
  recent: 'Recent shares in this tab',
  limits: {
    always: 'Never expires, unlimited views.',
    views: 'Can be opened once. |||| Can be opened %{smart_count} times.',
    until: 'Valid until %{until}.',
    viewsUntil:
      'Can be opened once, until %{until}. |||| Can be opened %{smart_count} times, until %{until}.',
    both: '%{first} %{second}',
    password: 'Password protected.',
  },
};

export default shareBox;
