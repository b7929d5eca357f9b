const app = {
  name: 'Pasteport',
  skipToContent: 'Skip to content',
  repository: 'Source code',
  announce: 'Page: %{title}',
  nav: {
    label: 'Main',
    home: 'Home',
    upload: 'Upload',
    explorer: 'Files',
    admin: 'Admin',
    menu: 'Menu',
    closeMenu: 'Close menu',
  },
  theme: {
    auto: 'automatic',
    light: 'light',
    dark: 'dark',
    button: 'Theme: %{mode}. Switch to %{next}',
  },
  language: { button: 'Language' },
  keys: 'Keyboard shortcuts',
  who: {
    admin: 'Admin',
    key: 'Key: %{name}',
    usage: 'Usage',
    notify: 'Notifications',
    device: 'Offline & app',
    signOut: 'Sign out',
    signedOut: 'You’re signed out',
  },
  titles: {
    home: 'Online clipboard',
    upload: 'File upload',
    paste: 'View share',
    file: 'File preview',
    collection: 'Shared files',
    notFound: 'Page not found',
  },
  lazy: {
    title: 'This page couldn’t be loaded',
    body: 'You may be offline, or a new version was installed. Your drafts on this device are safe.',
    offlineTitle: 'This page isn’t available offline',
    offlineBody: 'You seem to be offline, and this page hasn’t been saved on this device yet.',
    offlineToast: '“%{page}” isn’t available offline',
    back: 'Go back',
  },
  crash: {
    title: 'Something went wrong on this page',
    body: 'An unexpected error stopped this page. Try again; if it keeps happening, tell your administrator.',
  },
};

export default app;
