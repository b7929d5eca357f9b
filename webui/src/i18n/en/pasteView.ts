const pasteView = {
  crumbs: 'Path',
  home: 'Home',
  place: 'Text share',
  meta: {
    label: 'Details',
    created: 'Created',
    expires: 'Expires',
    never: 'never expires',
    views: '%{smart_count} view left |||| %{smart_count} views left',
    noViews: 'no views left',
    unlimited: 'unlimited views',
    lines: '%{smart_count} line |||| %{smart_count} lines',
    protected: 'password protected',
  },
  lastView: 'This was the last view. Save the text if you need it; the link no longer works.',
  modes: { label: 'View', preview: 'Preview', text: 'Text', code: 'Code' },
  large: 'The text is %{size}. Rendering it may take a while.',
  render: 'Render',
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
