import { ownPrefix, readStored, writeStored } from '../config';

/**
 * inherit takes over, once, what the program before this one left on this device: the text being written, and how
 * folders were looked at. What this program has stored already is newer and stays.
 */
export function inherit(): void {
  if (readStored(doneKey)) return;
  const text = readStored('cloudpaste-content');
  const view = readStored('file_explorer_view_mode');
  const field = readStored('file_explorer_sort_field');
  const order = readStored('file_explorer_sort_order');
  if (!text && !view && !field) return;
  if (!writeStored(doneKey, '1')) return;

  if (text.trim() && !readStored(draftsKey)) {
    const form = { remark: '', slug: '', expiry: 'never', expiryAt: '', maxViews: '0', syntax: '' };
    const draft = { id: 'inherited', text, mode: 'markdown', form, savedAt: Date.now(), archived: false };
    writeStored(draftsKey, JSON.stringify([draft]));
  }
  if (!readStored(tasteKey) && (view || field)) {
    const sorted = /^(name|size|modified)$/.test(field) && /^(asc|desc)$/.test(order);
    // The explorer takes what it knows and passes over the rest.
    writeStored(tasteKey, JSON.stringify({ view, ...(sorted && { sort: `${field} ${order}` }) }));
  }
}

const doneKey = 'pp.inherited';
const draftsKey = `${ownPrefix}drafts`;
const tasteKey = 'pp.explorer';
