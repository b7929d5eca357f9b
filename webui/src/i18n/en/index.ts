import type { Messages } from '../shape';
import app from './app';
import common from './common';
import errors from './errors';
import markdownView from './markdownView';
import pasteView from './pasteView';

export const core = { app, common, errors, markdownView, pasteView };

/** Areas that arrive with their route. Adding one is a line here and a line in ../zh. */
export const areas = {
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
} satisfies Record<string, () => Promise<{ default: Messages }>>;
