import { makeStore } from '../../store';

/** The panels that the layer above every page can show. */
export type OfflinePanel = 'status' | 'queue';

/** openPanel is the one that is shown; anybody may open one. */
export const openPanel = makeStore<OfflinePanel | undefined>(undefined);
