import { memoryStore, type Store } from 'react-admin';
import { readStoredJson, writeStored } from '../config';

const prefix = 'pp.admin.';
// What outlives the page: the columns of tables, their order, and which of the menu's groups are open.
const kept = /(\.datatable(_\w+)?|^menu)$/;
const anything = (value: unknown): value is unknown => value !== undefined;

/** panelStore keeps react-admin's preferences on this device; everything else, such as filters, ends with the page. */
export function panelStore(): Store {
  const memory = memoryStore();
  return {
    ...memory,
    getItem<T>(key: string, otherwise?: T): T | undefined {
      const value = memory.getItem<T>(key);
      if (value !== undefined || !kept.test(key)) return value ?? otherwise;
      return (readStoredJson(prefix + key, anything) as T | undefined) ?? otherwise;
    },
    setItem(key, value) {
      if (kept.test(key)) writeStored(prefix + key, value === undefined ? '' : JSON.stringify(value));
      memory.setItem(key, value);
    },
    removeItem(key) {
      if (kept.test(key)) writeStored(prefix + key, '');
      memory.removeItem(key);
    },
  };
}
