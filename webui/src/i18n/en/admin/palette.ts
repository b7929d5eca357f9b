const palette = {
  open: 'Go to…',
  title: 'Go to',
  label: 'Search pages, keys, shares and settings',
  kind: {
    page: 'Pages',
    make: 'Create',
    key: 'API keys',
    storage: 'Storage',
    mount: 'Mounts',
    share: 'Shares',
    setting: 'Settings',
  },
};

export default palette;
