import { makeStore } from '../../store';

/** withFiles says that files were put into the field since this tab was opened: whoever comes back finds them there. */
export const withFiles = makeStore(false);
