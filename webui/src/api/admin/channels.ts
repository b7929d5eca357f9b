import { api } from '../client';
import { against } from '../tagged';
import type { Paging } from '../types';
import type { ListQuery } from './texts';

/** Channel is somebody who is told of events. */
export interface Channel {
  id: string;
  name: string;
  type: 'webhook' | 'mail' | 'ntfy' | 'gotify' | 'push';
  address: string;
  /** language, from, to and user are of channels for people. */
  language?: 'en' | 'zh';
  from?: string;
  to?: string[];
  user?: string;
  has_secret?: boolean;
  kinds: string[];
  active: boolean;
  /** stopped is why the server switched it off itself; "" when it did not. */
  stopped: string;
  failures: number;
  retry_at: string | null;
  waiting: number;
  delivered: number;
  dead: number;
  created_at: string;
  updated_at: string;
  etag: string;
}

/** MadeChannel has the secret, which no other answer has; only of a webhook it is not empty. */
export interface MadeChannel extends Channel {
  secret: string;
}

export type ChannelDraft = Partial<
  Pick<Channel, 'name' | 'type' | 'address' | 'language' | 'from' | 'to' | 'user' | 'kinds' | 'active'>
> & { secret?: string };

/** Attempt is what became of a message. */
export interface Attempt {
  arrived: boolean;
  status: number;
  problem: string;
  /** detail is what a mail server said of it. */
  detail?: string;
}

/** Delivery is one event on its way to a channel. */
export interface Delivery {
  id: string;
  event_id: string;
  kind: string;
  subject: string;
  at: string;
  data: unknown;
  status: 'waiting' | 'delivered' | 'dead';
  /** times is how often it happened, where several are told in one message. */
  times?: number;
  attempts: number;
  next_at: string | null;
  answer: number;
  problem: string;
  updated_at: string;
}

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
