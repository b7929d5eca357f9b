const login = {
  adminTitle: 'Admin Panel',
  title: 'Sign in',
  modes: 'Way to sign in',
  byPassword: 'Administrator',
  byKey: 'API key',
  username: 'User name',
  password: 'Password',
  key: 'API key',
  submit: 'Sign in',
  missing: {
    username: 'Enter the user name',
    password: 'Enter the password',
    key: 'Enter the API key',
  },
  invalid: 'User name or password is wrong',
  noToken: 'The sign-in answer had no token',
  noPermissions: 'The answer had no permission information',
  totp: 'Code of the second step',
  totpHint: 'Six digits of your app, or a recovery code',
  totpWrong: 'The code is wrong or was used already',
  noRights: 'This API key has no permission to use the web interface',
};

export default login;
