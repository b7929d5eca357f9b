import type { Attempt, Channel, ChannelDraft, MadeChannel } from './admin/channels';
import { api } from './client';
import { against } from './tagged';

const at = (id: string) => `/notifications/channels/${encodeURIComponent(id)}`;
const share = (id: string) => `/notifications/shares/${encodeURIComponent(id)}`;

/** ownChannels are those of whoever is signed in. */
export const ownChannels = async (signal?: AbortSignal) =>
  (await api.get<{ channels: Channel[] }>('/notifications/channels', { signal })).channels;

/** makeOwnChannel saves a channel of one's own; the answer of a webhook has its secret. */
export const makeOwnChannel = (draft: ChannelDraft) =>
  api.post<MadeChannel>('/notifications/channels', draft);

/** changeOwnChannel changes a channel of one's own; fails with 412 when it is no longer the one that `tag` names. */
export const changeOwnChannel = (id: string, draft: ChannelDraft, tag: string) =>
  api.put<Channel>(at(id), draft, against(tag));

/** pushKey is the public key by which a browser subscribes. */
export const pushKey = async () =>
  (await api.get<{ public_key: string }>('/notifications/push-key')).public_key;

export const dropOwnChannel = (id: string) => api.del<unknown>(at(id));

/** testOwnChannel sends a test message at once. */
export const testOwnChannel = (id: string) => api.post<Attempt>(`${at(id)}/test`);

/** isTold reads whether one is told when a share is opened. */
export const isTold = async (id: string, signal?: AbortSignal) =>
  (await api.get<{ tell: boolean }>(share(id), { signal })).tell;

/** tellMe says whether one is told when a share is opened. */
export const tellMe = (id: string, tell: boolean) => api.put<{ tell: boolean }>(share(id), { tell });
