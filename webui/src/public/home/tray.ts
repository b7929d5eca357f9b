import type { EditorHandle } from '../../shared/editor/editor';
import { makeStore } from '../../store';

/** field is the editor of Home while it is there; another one after who has left comes back. */
export const field = makeStore<EditorHandle | undefined>(undefined);

/** withFiles says that files were put into the field since this tab was opened: whoever comes back finds them there. */
export const withFiles = makeStore(false);

/** saving are the files, by their place in the list of uploads, of which it is not saved yet that their owner is told. */
export const saving = makeStore<readonly number[]>([]);
