import { readStored, writeStored } from '../../config';
import type { EditorMode } from './drafts';

/** View is how a Markdown text is edited: with its marks hidden, as source, beside its preview, or only shown. */
export type View = 'instant' | 'source' | 'split' | 'preview';

/** Way is what the switch above the editor chooses: plain text, or one of the views of Markdown. */
export type Way = 'plain' | View;

export const ways: readonly Way[] = ['plain', 'instant', 'source', 'split', 'preview'];

const modeKey = 'pp.editorMode';
const viewKey = 'pp.editorView';

/** firstMode is the person's last choice, else the site's. */
export function firstMode(ofSite: string): EditorMode {
  const kept = readStored(modeKey);
  return (kept === 'plain' || kept === 'markdown' ? kept : ofSite) === 'plain' ? 'plain' : 'markdown';
}

/** firstView is the person's last choice, else split where there is room for it and instant where there is not. */
export function firstView(): View {
  const kept = readStored(viewKey);
  if (kept === 'instant' || kept === 'source' || kept === 'split' || kept === 'preview') return kept;
  return innerWidth > 768 ? 'split' : 'instant';
}

/** rememberWay makes a choice the first one of the next visit. */
export function rememberWay(way: Way): void {
  writeStored(modeKey, way === 'plain' ? 'plain' : 'markdown');
  if (way !== 'plain') writeStored(viewKey, way);
}
