import type * as en from '../en';
import type { Shape } from '../shape';
import app from './app';
import common from './common';
import errors from './errors';
import markdownView from './markdownView';
import pasteView from './pasteView';

type Area<K extends keyof typeof en.areas> = Shape<Awaited<ReturnType<(typeof en.areas)[K]>>['default']>;

export const core: Shape<typeof en.core> = { app, common, errors, markdownView, pasteView };

export const areas: { [K in keyof typeof en.areas]: () => Promise<{ default: Area<K> }> } = {
  login: () => import('./login'),
  admin: () => import('./admin'),
  explorer: () => import('./explorer'),
  explorerDialogs: () => import('./explorerDialogs'),
  explorerEdit: () => import('./explorerEdit'),
  home: () => import('./home'),
  homeMore: () => import('./homeMore'),
  editor: () => import('./editor'),
  share: () => import('./share'),
  shareBox: () => import('./shareBox'),
  file: () => import('./file'),
  fileView: () => import('./fileView'),
  collection: () => import('./collection'),
  collectionEdit: () => import('./collectionEdit'),
  shareGate: () => import('./shareGate'),
  notFound: () => import('./notFound'),
  request: () => import('./request'),
  requests: () => import('./requests'),
  channels: () => import('./channels'),
  revisions: () => import('./revisions'),
  several: () => import('./several'),
  visits: () => import('./visits'),
  pasteMore: () => import('./pasteMore'),
  qr: () => import('./qr'),
  usage: () => import('./usage'),
  pwa: () => import('./pwa'),
  exports: () => import('./exports'),
  preview: () => import('./preview'),
  viewers: () => import('./viewers'),
  shareEdit: () => import('./shareEdit'),
  ops: () => import('./ops'),
  shortcuts: () => import('./shortcuts'),
};
