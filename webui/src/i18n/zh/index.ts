import type * as en from '../en';
import type { Shape } from '../shape';
import app from './app';
import common from './common';
import errors from './errors';
import login from './login';
import share from './share';

type Area<K extends keyof typeof en.areas> = Shape<Awaited<ReturnType<(typeof en.areas)[K]>>['default']>;

export const core: Shape<typeof en.core> = { app, common, errors, login, share };

export const areas: { [K in keyof typeof en.areas]: () => Promise<{ default: Area<K> }> } = {
  home: () => import('./home'),
  markdownView: () => import('./markdownView'),
};
