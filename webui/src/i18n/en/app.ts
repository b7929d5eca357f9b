const app = {
  name: 'Pasteport',
  skipToContent: 'Skip to content',
  repository: 'Source code',
  announce: 'Page: %{title}',
  nav: {
    label: 'Main',
    home: 'Home',
    upload: 'Upload',
    explorer: 'Mounts',
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
    device: 'App on this device',
    signOut: 'Sign out',
    signedOut: 'You are signed out',
  },
  titles: {
    home: 'Online Clipboard',
    upload: 'File Upload',
    paste: 'View Share',
    file: 'File Preview',
    notFound: 'Page Not Found',
  },
  lazy: {
    title: 'This page could not be loaded',
    body: 'The connection may be down, or a new version was installed. Your texts on this device are kept.',
    offlineTitle: 'This page is not available right now',
    offlineBody: 'You seem to be offline. The page has not been loaded on this device yet.',
    offlineToast: '“%{page}” cannot be loaded without a network',
    back: 'Previous page',
  },
  crash: {
    title: 'Something went wrong on this page',
    body: 'The page stopped because of a fault in the app. Try it once more.',
  },
};

export default app;
