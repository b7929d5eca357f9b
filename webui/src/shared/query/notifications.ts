import { queryOptions } from '@tanstack/react-query';
import { isTold, ownChannels } from '../../api/notifications';

/** ownChannelsQuery are the notification channels of whoever is signed in. */
export const ownChannelsQuery = queryOptions({
  queryKey: ['notifications', 'channels'],
  queryFn: ({ signal }) => ownChannels(signal),
});

/** toldQuery is whether one is told when a share is opened. */
export const toldQuery = (id: string) =>
  queryOptions({
    queryKey: ['notifications', 'share', id],
    queryFn: ({ signal }) => isTold(id, signal),
  });
