import type { Messages } from '../shape';
import app from './app';
import common from './common';
import errors from './errors';
import login from './login';
import share from './share';

export const core = { app, common, errors, login, share };

/** Areas that arrive with their route. Adding one is a line here and a line in ../zh. */
export const areas = {
  home: () => import('./home'),
  markdownView: () => import('./markdownView'),
} satisfies Record<string, () => Promise<{ default: Messages }>>;
