/** The panels that the layer above every page can show. */
export type OfflinePanel = 'status' | 'queue';

const name = 'pp-offline-panel';

/** showPanel opens a panel of the layer from anywhere. */
export const showPanel = (panel: OfflinePanel) => dispatchEvent(new CustomEvent(name, { detail: panel }));

/** onPanel calls `open` for every showPanel; the answer ends that. */
export function onPanel(open: (panel: OfflinePanel) => void): () => void {
  const hear = (event: Event) => open((event as CustomEvent<OfflinePanel>).detail);
  addEventListener(name, hear);
  return () => removeEventListener(name, hear);
}
