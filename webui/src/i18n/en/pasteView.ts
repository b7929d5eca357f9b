const pasteView = {
  crumbs: 'Path',
  home: 'Home',
  place: 'Text share',
  meta: {
    label: 'Facts',
    created: 'Created',
    expires: 'Expires',
    never: 'does not expire',
    views: '%{smart_count} view left |||| %{smart_count} views left',
    noViews: 'no views left',
    unlimited: 'opens without limit',
    lines: '%{count} line |||| %{count} lines',
    protected: 'with a password',
  },
  lastView: 'This was the last view. Save the text if you need it: the link no longer works.',
  modes: { label: 'View', preview: 'Preview', text: 'TXT', code: 'Code' },
  wrap: 'Wrap lines',
  large: 'The text has %{size}. Rendering it can take a while.',
  render: 'Render it',
  content: 'Text of the share',
  actions: {
    label: 'Actions',
    more: 'More',
    copy: 'Copy text',
    qr: 'QR code',
    download: 'Download',
  },
};

export default pasteView;
