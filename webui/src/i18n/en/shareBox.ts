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
  rawCaution: 'The raw link carries the password in its address. Anyone who sees the link can read the text.',
  curl: 'Use it in a terminal',
  native: 'Share…',
  another: 'New text',
  keepEditing: 'Keep editing',
  close: 'Close',
  autoCopied: 'The link is on the clipboard.',
  recent: 'Recent shares in this tab',
  limits: {
    always: 'Opens without limit.',
    views: 'Opens %{smart_count} time. |||| Opens %{smart_count} times.',
    until: 'Opens until %{until}.',
    viewsUntil: 'Opens %{smart_count} time, until %{until}. |||| Opens %{smart_count} times, until %{until}.',
    both: '%{first} %{second}',
    password: 'A password is needed.',
  },
};

export default shareBox;
