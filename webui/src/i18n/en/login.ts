const login = {
  adminTitle: 'Admin panel',
  about: 'Texts and files, shared by link.',
  title: 'Sign in',
  modes: 'Way to sign in',
  byPassword: 'Administrator',
  byKey: 'API key',
  username: 'Username',
  password: 'Password',
  key: 'API key',
  submit: 'Sign in',
  missing: {
    username: 'Enter the username',
    password: 'Enter the password',
    key: 'Enter the API key',
  },
  invalid: 'Wrong username or password',
  noToken: 'The server’s response was incomplete (no token)',
  noPermissions: 'The server’s response was incomplete (no permissions)',
  totp: 'Two-factor code',
  totpHint: '6-digit code from your app, or a recovery code.',
  totpWrong: 'Wrong or already used code',
  noRights: 'This API key has no permission to use the web interface',
};

export default login;
