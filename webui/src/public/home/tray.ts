import { makeStore } from '../../store';

/** withFiles says that files were put into the field since this tab was opened: whoever comes back finds them there. */
export const withFiles = makeStore(false);

/** saving are the files, by their place in the list of uploads, of which it is not saved yet that their owner is told. */
export const saving = makeStore<readonly number[]>([]);
