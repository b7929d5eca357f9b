const home = {
  heading: 'Share a text',
  modes: { label: 'Editor', plain: 'Plain text', markdown: 'Markdown' },
};

export default home;
