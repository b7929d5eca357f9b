/**
 * hasUnsaved asks the page's own guards whether something would be lost by leaving: unsaved texts and running
 * transfers answer the event that the browser fires before it leaves.
 */
export const hasUnsaved = (): boolean => !dispatchEvent(new Event('beforeunload', { cancelable: true }));
