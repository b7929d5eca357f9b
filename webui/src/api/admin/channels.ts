import { api } from '../client';
import { against } from '../tagged';
import type { Paging } from '../types';
import type { ListQuery } from './texts';
import type { Schema } from '../schema';

/** Channel is somebody who is told of events; `stopped` is why the server switched it off itself. */
export type Channel = Schema<
  'channelJSON',
  {
    type: 'webhook' | 'mail' | 'ntfy' | 'gotify' | 'push';
    language?: 'en' | 'zh';
    digest?: 'hourly' | 'daily' | 'weekly';
  }
>;

/** MadeChannel has the secret, which no other answer has; only of a webhook it is not empty. */
export interface MadeChannel extends Channel {
  secret: string;
}

/** Digest is how often a channel is told; empty means of each event by itself. */
export type Digest = '' | 'hourly' | 'daily' | 'weekly';

export type ChannelDraft = Partial<
  Pick<Channel, 'name' | 'type' | 'address' | 'language' | 'from' | 'to' | 'user' | 'kinds' | 'active'>
> & { secret?: string; digest?: Digest };

/** Attempt is what became of a message. */
export type Attempt = Schema<'attemptJSON'>;

/** Delivery is one event on its way to a channel; `times` is how often it happened, where one message tells several. */
export type Delivery = Schema<
  'deliveryJSON',
  { status: 'held' | 'waiting' | 'delivered' | 'dead'; at: string; updated_at: string }
>;

const at = (id: string) => `/admin/channels/${encodeURIComponent(id)}`;

export const listChannels = (query: ListQuery, signal?: AbortSignal) =>
  api.get<{ channels: Channel[]; pagination: Paging }>('/admin/channels', { query, signal });

export const getChannel = (id: string) => api.get<Channel>(at(id));

/** createChannel saves a new channel, and answers its secret. */
export const createChannel = (draft: ChannelDraft) => api.post<MadeChannel>('/admin/channels', draft);

/** updateChannel changes a channel; fails with 412 when it is no longer the one that `tag` names. */
export const updateChannel = (id: string, draft: ChannelDraft, tag = '') =>
  api.put<Channel>(at(id), draft, against(tag));

/** rotateChannel gives a channel a new secret; the old one signs beside it for a day. */
export const rotateChannel = (id: string) => api.post<MadeChannel>(`${at(id)}/rotate`, {});

export const deleteChannel = (id: string) => api.del<unknown>(at(id));

/** testChannel sends a test message at once. */
export const testChannel = (id: string) => api.post<Attempt>(`${at(id)}/test`);

/** deliveriesTo lists what went to a channel or is on its way, the newest first. */
export const deliveriesTo = (id: string, signal?: AbortSignal) =>
  api.get<{ deliveries: Delivery[]; pagination: Paging }>(`${at(id)}/deliveries`, {
    query: { limit: 50 },
    signal,
  });

/** resend has one delivery tried again that was given up, or all of them. */
export const resend = (id: string, delivery = '') =>
  api.post<{ count: number }>(`${at(id)}/resend`, { delivery });
