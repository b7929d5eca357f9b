import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { deliveriesTo, listChannels } from '../../api/admin/channels';
import { readKeyUse } from '../../api/admin/keys';
import { listMounts } from '../../api/admin/mounts';
import {
  actionNames,
  backupState,
  decision,
  doctor,
  reconciliations,
  explain,
  keyNames,
  listBackups,
  mountPaths,
  policyOverview,
  revision,
  rulesInForce,
  secondStep,
  sharedItems,
  storageNames,
  type Explanation,
} from '../../api/admin/operations';
import { listDrivers } from '../../api/admin/storage';
import { listSessions, readGroup, readSettings, readStats } from '../../api/admin/system';
import { listFolder } from '../../api/fs';
import { listRequests, receivedBy } from '../../api/requests';
import type { Permission } from '../../auth/permissions';
import { questionFor, typical, type Draft } from '../keys/question';

/** reading is the query of one call, whose answer is kept under a key. */
const reading = <T>(queryKey: readonly unknown[], read: (signal: AbortSignal) => Promise<T>) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => read(signal) });

/** What a form begins with is read when it opens and stays as it came, so that its tag fits what is shown. */
const ofForm = { staleTime: 'static', gcTime: 0 } as const;

/** keyUseQuery is how often a key was used lately. */
export const keyUseQuery = (id: string) => reading(['key', id, 'use'], (signal) => readKeyUse(id, signal));

/** receivedQuery is what has come through a request. */
export const receivedQuery = (id: string) =>
  reading(['request', id, 'received'], (signal) => receivedBy(id, signal));

/** deliveriesQuery is what went to a channel lately or is on its way. */
export const deliveriesQuery = (id: string) =>
  reading(['channel', id, 'deliveries'], (signal) => deliveriesTo(id, signal));

/** mayQuery is what the rules in force let a key do that stands in a form, by permission. */
export const mayQuery = (draft: Draft, names: readonly Permission[]) =>
  queryOptions({
    queryKey: ['policies', 'may', draft],
    queryFn: async ({ signal }) => {
      const found: Partial<Record<Permission, Explanation>> = {};
      // One question after the other: each costs the server a whole decision with its reasons.
      for (const name of names)
        found[name] = await explain(questionFor(draft, typical[name], draft.basicPath), signal);
      return found;
    },
  });

/** folderChoiceQuery is one level of the tree of folders to choose from. */
export const folderChoiceQuery = (path: string) =>
  reading(['folder choice', path], (signal) => listFolder(path, false, signal));

/** driversQuery is the drivers that a storage config can have. */
export const driversQuery = queryOptions({
  ...ofForm,
  queryKey: ['drivers'],
  queryFn: ({ signal }) => listDrivers(signal),
});

/** mountsQuery is all mounts, however many there are. */
export const mountsQuery = reading(['mounts'], listMounts);

/** settingsFormQuery is a group of settings to change, with their tag. */
export const settingsFormQuery = (group: number) =>
  queryOptions({
    ...ofForm,
    queryKey: ['settings', group, 'form'],
    queryFn: ({ signal }) => readGroup(group, signal),
  });

/** settingsQuery is all settings by the numbers of their groups, with what they are for. */
export const settingsQuery = reading(['settings', 'all'], readSettings);

/** sharesFoundQuery is the newest shares whose link or name has these words in it. */
export const sharesFoundQuery = (search: string) =>
  queryOptions({
    queryKey: ['shares', 'found', search],
    queryFn: async ({ signal }) => (await sharedItems({ search, limit: 5 }, signal)).shares,
  });

/** statsQuery is the figures of storages and shares. */
export const statsQuery = reading(['stats'], (signal) => readStats(7, signal));

/** sourcesQuery is what shares can be narrowed down to: storages, mounts, and keys that made them. */
export const sourcesQuery = queryOptions({
  queryKey: ['sources'],
  queryFn: async ({ signal }) => {
    const [keys, storages, mounts] = await Promise.all([
      keyNames(signal),
      storageNames(signal),
      mountPaths(signal),
    ]);
    return { keys, storages, mounts };
  },
});

/** requestNamesQuery is the newest requests for files, by title. */
export const requestNamesQuery = queryOptions({
  queryKey: ['request names'],
  queryFn: async ({ signal }) => {
    const { requests } = await listRequests({ limit: 100 }, signal);
    return requests.map(({ id, title }) => ({ id, name: title }));
  },
});

/** channelNamesQuery is the notification channels of the site, by name. */
export const channelNamesQuery = queryOptions({
  queryKey: ['channel names'],
  queryFn: async ({ signal }) => (await listChannels({ limit: 100, offset: 0 }, signal)).channels,
});

/** policiesQuery is the state of the rules, with their revisions. */
export const policiesQuery = reading(['policies'], policyOverview);

/** rulesInForceQuery is the rules in force with how often each decided. */
export const rulesInForceQuery = (inForce: string) =>
  reading(['policies', 'rules', inForce], (signal) => rulesInForce(signal));

/** comparisonQuery is the files of two revisions of the rules. */
export const comparisonQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ['policies', 'compare', from, to],
    queryFn: async ({ signal }) => {
      const [before, after] = await Promise.all([revision(from, signal), revision(to, signal)]);
      return { before: before.files ?? {}, after: after.files ?? {} };
    },
  });

/** actionsQuery is the names of all actions that rules are asked about. */
export const actionsQuery = reading(['actions'], async (signal) => (await actionNames(signal)).sort());

/** keyNamesQuery is the names of all keys. */
export const keyNamesQuery = reading(['key names'], keyNames);

/** decisionQuery is one decision of the log. */
export const decisionQuery = (id: string) => reading(['decision', id], (signal) => decision(id, signal));

/** sessionsQuery is the sessions of the administrator who is signed in. */
export const sessionsQuery = reading(['sessions'], listSessions);

/** secondStepQuery is whether signing in takes a second step. */
export const secondStepQuery = reading(['second step'], secondStep);

/** doctorQuery is what the doctor found, kept until somebody asks again. */
export const doctorQuery = queryOptions({
  queryKey: ['doctor'],
  queryFn: ({ signal }) => doctor(signal),
  staleTime: Infinity,
});

/** reconciliationsQuery is the latest comparisons of storages, asked again while one runs. */
export const reconciliationsQuery = queryOptions({
  queryKey: ['reconciliations'],
  queryFn: ({ signal }) => reconciliations(signal),
  refetchInterval: ({ state: { data } }) => (data?.some((run) => run.finished_at === null) ? 2000 : false),
});

/** backupQuery is how backups went, and what waits to be restored; asked again while one is made. */
export const backupQuery = queryOptions({
  queryKey: ['backup'],
  queryFn: ({ signal }) => backupState(signal),
  refetchInterval: ({ state: { data } }) =>
    data && (data.schedule.waits || data.schedule.last?.ended === null) ? 3000 : false,
});

/** keptBackupsQuery is the scheduled backups there are, read again when another round has ended. */
export const keptBackupsQuery = (ended: string) =>
  queryOptions({
    queryKey: ['backup', 'kept', ended],
    queryFn: ({ signal }) => listBackups(signal),
    placeholderData: keepPreviousData,
  });

/** storageNamesQuery is the storage configs by name. */
export const storageNamesQuery = reading(['storage names'], storageNames);
