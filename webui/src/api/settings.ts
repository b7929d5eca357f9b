import { api } from './client';
import type { Setting } from './types';

/** Setting groups: 1 global, 2 preview, 3 WebDAV, 4 site (§9). */
type SettingGroup = 1 | 2 | 3 | 4;

/** readSettings gives a group's settings by key; groups 1 to 4 are public. */
export async function readSettings(group: SettingGroup, signal?: AbortSignal): Promise<Map<string, string>> {
  const rows = await api.get<Setting[]>('/admin/settings', { query: { group, metadata: false }, signal });
  return new Map(rows.map((row) => [row.key, row.value]));
}
