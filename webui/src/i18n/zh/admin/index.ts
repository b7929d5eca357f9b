import common from './common';
import account from './account';
import dashboard from './dashboard';
import files from './files';
import keys from './keys';
import mounts from './mounts';
import palette from './palette';
import settings from './settings';
import storage from './storage';
import texts from './texts';

/** Everything of the panel, which loads it at once. A page's texts are a file here and one in ../../en/admin. */
const admin = { ...common, account, dashboard, files, keys, mounts, palette, settings, storage, texts };

export default admin;

// React-admin's own texts come with them.
export { default as ra } from '../ra';
