import { language } from '../../i18n';
import { api, ApiError, apiUrl, authHeaders, type Query } from '../client';
import { reach } from '../fs';
import type { Schema } from '../schema';

/** Rules are files of Rego by name. */
export type Rules = Record<string, string>;

/** A Problem of rules; row and column count from 1, 0 where it belongs to no line. */
export type Problem = Schema<'ruleProblemJSON'>;

/** The first and the last of some lines. */
type Lines = [number, number];

/** Which lines of a file the tests run, and how much of it that is. */
export type Coverage = Schema<'coverageJSON', { covered: Lines[]; not_covered: Lines[] }>;

/** A rule as its annotations describe it; `set` is "deny" or "limit". */
export type Rule = Schema<'ruleJSON'>;

/** What the check of rules found; `formatted` holds the files that formatting would change. */
export type Report = Schema<'reportJSON', { coverage: Coverage[] }>;

/** A saved state of the rules; `files` only where it alone was read. */
export type Revision = Schema<'revisionJSON', { created_at: string }>;

/** What is in force, what was saved, and what a shadow has found; `broken` says why the rules could not be loaded. */
export type PolicyOverview = Schema<'policyJSON', { revisions: Revision[] }>;

/** A rule in force, and how often it refused or limited something. */
type RuleHits = Schema<'ruleHitsJSON'>;

/**
 * The answer to one question and what led to it; `lines` are those that were evaluated, of the shipped rules and those of
 * the site; `took_us` in microseconds, `failed` when the rules gave no answer.
 */
export type Explanation = Schema<'explanationJSON', { lines: Coverage[] }>;

/** An entry of the decision log; `failed` when the rules gave no answer. */
export type Decision = Schema<'decisionJSON', { timestamp: string }>;

/** A decision of the log as rules are compared with it; `before` tells whether it was allowed. */
export type Logged = Schema<'loggedJSON', { timestamp: string }>;

/** A decision that rules would make otherwise; `limits` of what stays allowed, 0 is no limit. */
export type Change = Schema<'changeJSON', { timestamp: string }>;

/** What rules would have decided of the last decisions in the log, newest first. */
export type Effect = Schema<'effectJSON', { changes: Change[]; same?: Logged[] }>;

const policies = '/admin/policies';

/** policyOverview reads what is in force, the revisions and the shadow. */
export const policyOverview = (signal?: AbortSignal) => api.get<PolicyOverview>(policies, { signal });
/** rulesInForce lists the rules in force with their hits. */
export const rulesInForce = (signal?: AbortSignal) => api.get<RuleHits[]>(`${policies}/rules`, { signal });
/** checkRules compiles and tests rules without saving them. */
export const checkRules = (files: Rules, signal?: AbortSignal) =>
  api.post<Report>(`${policies}/check`, { files }, { signal });
/** effectOf asks rules the last 1,000 decisions of the log again. */
export const effectOf = (files: Rules) => api.post<Effect>(`${policies}/effect`, { files, all: true });
/** saveRules keeps rules as a revision, which is not in force yet; refused when the check finds problems. */
export const saveRules = (files: Rules, note: string) => api.post<Revision>(policies, { files, note });
/** revision reads one revision with its files. */
export const revision = (id: string, signal?: AbortSignal) =>
  api.get<Revision>(`${policies}/${id}`, { signal });
/** fetchBundle fetches a revision, or the rules in force, as a bundle of Open Policy Agent. */
export const fetchBundle = (id: string) => fetchFile('GET', `${policies}/${id}/bundle`);
/** readBundle has the server take a bundle apart; nothing is kept. */
export async function readBundle(file: File): Promise<Rules> {
  const answer = await sendFile(`${policies}/bundle`, file);
  const { data } = (await answer.json()) as { data: { files: Rules } };
  return data.files;
}
/** activateRules puts a revision in force; with seconds on trial, after which it goes back by itself. */
export const activateRules = (id: string, seconds = 0) =>
  api.post<unknown>(`${policies}/${id}/activate`, { trial_seconds: seconds });
/** confirmRules ends the trial of the rules in force: they stay. */
export const confirmRules = () => api.post<unknown>(`${policies}/confirm`);
/** shadowRules has a revision asked beside the one in force; "" ends that. */
export const shadowRules = (id: string) =>
  id ? api.post<unknown>(`${policies}/${id}/shadow`) : api.del<unknown>(`${policies}/shadow`);
/** explain answers a question by the rules in force, or by those that are sent with it. */
export const explain = (question: Record<string, unknown>, signal?: AbortSignal) =>
  api.post<Explanation>(`${policies}/explain`, question, { signal });

/** Whether a key is allowed something. */
export type Verdict = Schema<'verdictJSON'>;

/** whoMay asks a question for each API key. */
export const whoMay = (question: Record<string, unknown>) => api.post<Verdict[]>(`${policies}/who`, question);
/** actionNames are all actions that rules can be asked about. */
export const actionNames = async (signal?: AbortSignal) =>
  Object.keys(
    (await api.get<{ abilities: Record<string, boolean> }>('/policy/abilities', { signal })).abilities,
  );
/** keyNames lists the API keys by name, for choices. */
export const keyNames = (signal?: AbortSignal) =>
  api.get<{ id: string; name: string }[]>('/admin/api-keys', { signal });

/** decisions reads a page of the decision log, the newest first; `next` is where the next one begins. */
export const decisions = async (query: Query, signal?: AbortSignal) => {
  const page = await api.get<{ decisions: Decision[]; next: number | null }>('/admin/decisions', {
    query,
    signal,
  });
  return { rows: page.decisions, next: page.next };
};
/** decision finds the decision that an answer named in X-Decision-Id. */
export const decision = (id: string, signal?: AbortSignal) =>
  api.get<Decision>(`/admin/decisions/${encodeURIComponent(id)}`, { signal });

/** An entry of the audit log; `actor` is the id of who did it and `type` its kind, `code` says why it failed. */
export type AuditEntry = Schema<'auditJSON', { outcome: 'done' | 'failed'; timestamp: string }>;

/** auditEntries reads a page of the audit log; of a longer one than 100,000 entries, that many are counted. */
export const auditEntries = (query: Query, signal?: AbortSignal) =>
  api.get<{ entries: AuditEntry[]; total: number }>('/admin/audit', { query, signal });

/**
 * What the check of one chain of the audit log has found; `broken` is the number of the first entry that is not as it
 * was written, 0 for none; `missing` is the end that was cut off.
 */
type Proof = Schema<'proofJSON', { missing: 'newest' | 'oldest' | '' }>;

/** verifyAudit recomputes the chains of the audit log. */
export const verifyAudit = () => api.get<Proof[]>('/admin/audit/verify');

/** A text or a file that has a link; `size` in bytes, `max_views` 0 is unlimited. */
export type SharedItem = Schema<'shareJSON', { kind: 'paste' | 'file' | 'collection'; created_at: string }>;

/** sharedItems reads a page of all that is shared. */
export const sharedItems = (query: Query, signal?: AbortSignal) =>
  api.get<{ shares: SharedItem[]; total: number }>('/admin/shares', { query, signal });
/** revokeShares ends links; what could not be ended comes back with the reason. */
export const revokeShares = (items: { kind: string; id: string }[]) =>
  api.post<{ success: number; failed: { id: string; error: string }[] }>('/admin/shares/revoke', { items });
/** storageNames lists the storage configs by name, for choices. */
export const storageNames = (signal?: AbortSignal) =>
  api.get<{ id: string; name: string }[]>('/s3-configs', { signal });
/** mountPaths lists the mounts by path, for choices. */
export const mountPaths = (signal?: AbortSignal) =>
  api.get<{ id: string; name: string; mount_path: string }[]>('/admin/mounts', { signal });

/** What a backup holds; `bytes` of all its parts. */
type Manifest = Schema<'manifestJSON', { created_at: string }>;

/** Whether a backup waits for the next start, or was refused, and how scheduled ones went. */
type BackupState = Schema<
  'backupJSON',
  { staged: Manifest | null; refused: { at: string; problem: string } | null; schedule: Schedule }
>;

/**
 * One thing that the doctor looked at, in the language of the page; `about` is the name of a storage, "" for the server
 * itself; `detail` is what a program said, untranslated.
 */
export type Finding = Schema<'doctorFinding', { level: 'ok' | 'warning' | 'problem' }>;

/** doctor examines the installation, which takes up to a minute; the worst comes first. */
export const doctor = (signal?: AbortSignal) =>
  api.get<{ at: string; level: Finding['level']; findings: Finding[] }>('/admin/doctor', { signal });

/** One try to make a scheduled backup; `bytes` with the files beside it. */
type BackupRound = Schema<'roundJSON', { began: string }>;

/** How scheduled backups went: whether one was asked for and has not begun, the last, and the last that was proved. */
export type Schedule = Schema<'scheduleJSON', { last: BackupRound | null; good: BackupRound | null }>;

/** A scheduled backup; `file_bytes` are those of the files beside it. */
export type KeptBackup = Schema<'keptJSON', { created_at: string }>;

/** backupState tells which database is used, which backup waits for the next start or was refused, and how scheduled ones went. */
export const backupState = (signal?: AbortSignal) => api.get<BackupState>('/admin/backup', { signal });
/** listBackups lists the scheduled backups, newest first. */
export const listBackups = (signal?: AbortSignal) => api.get<KeptBackup[]>('/admin/backup/kept', { signal });
/** askBackup has a backup made within a minute. */
export const askBackup = () => api.post<unknown>('/admin/backup/kept');
const keptPath = (name: string) => `/admin/backup/kept/${encodeURIComponent(name)}`;
/** fetchBackup fetches a scheduled backup, or the files beside it. */
export const fetchBackup = (name: string, files: boolean) =>
  fetchFile('POST', `${keptPath(name)}/download`, files ? { files: true } : {});
/** takeBackup has a scheduled backup restored at the next start. */
export const takeBackup = (name: string) => api.post<unknown>(`${keptPath(name)}/restore`);
/** deleteBackup removes a scheduled backup and the files beside it. */
export const deleteBackup = (name: string) => api.del<unknown>(keptPath(name));
/** forgetRestore drops the backup that waits for the next start, and that one was refused. */
export const forgetRestore = () => api.del<unknown>('/admin/backup/restore');

/** How long in milliseconds a server may take to start again, and between two questions whether it has. */
const startTakes = 5 * 60_000;
const startAsked = 1000;

/** restartForBackup has the server start again for the backup that waits, and resolves once it runs with it. */
export async function restartForBackup(): Promise<void> {
  await api.post<unknown>('/admin/backup/restore/now');
  for (const end = Date.now() + startTakes; Date.now() < end;) {
    await new Promise((resolve) => setTimeout(resolve, startAsked));
    try {
      const { staged } = await api.get<{ staged: Manifest | null }>('/admin/backup', { live: true });
      if (!staged) return;
    } catch (error) {
      // A session that is younger than the backup has ended with it.
      if (error instanceof ApiError && error.status === 401) return;
    }
  }
  throw new ApiError('', { failure: 'timeout' });
}

/**
 * stageRestore sends a backup, which the server proves and keeps for its next start. One that its master key does not
 * prove is refused with the code backup_unsigned, unless `acceptUnsigned`.
 */
export async function stageRestore(file: File, acceptUnsigned = false): Promise<void> {
  const query: Query = acceptUnsigned ? { accept_unsigned: true } : {};
  await sendFile('/admin/backup/restore', file, query);
}

/** sendFile sends the bytes of a file. */
const sendFile = (path: string, file: File, query: Query = {}) =>
  reach(apiUrl(path, query), { method: 'POST', headers: headers(), body: file });

/** headers make the server answer in the language of the page. */
const headers = () => ({ ...authHeaders(), 'Accept-Language': language() });

/** fetchFile fetches a file that needs the session, for instance an export. */
export const fetchFile = async (method: 'GET' | 'POST', path: string, query: Query = {}): Promise<Blob> =>
  (await reach(apiUrl(path, query), { method, headers: headers(), cache: 'no-store' })).blob();

/** Whether the administrator signs in with a second step. */
export type SecondStep = Schema<'totpJSON'>;

/** secondStep reads whether signing in has a second step. */
export const secondStep = (signal?: AbortSignal) => api.get<SecondStep>('/admin/totp', { signal });
/** beginSecondStep makes a secret, which counts once enableSecondStep has proved it. */
export const beginSecondStep = (currentPassword: string) =>
  api.post<{ secret: string; url: string }>('/admin/totp/begin', { currentPassword });
/** enableSecondStep proves the secret by its code; the recovery codes are shown this once. */
export const enableSecondStep = (code: string) =>
  api.post<{ recovery_codes: string[] }>('/admin/totp/enable', { code });
/** disableSecondStep needs the password and a code of the second step or a recovery code. */
export const disableSecondStep = (currentPassword: string, code: string) =>
  api.post<unknown>('/admin/totp/disable', { currentPassword, code });
/** renewRecovery replaces the recovery codes; the new ones are shown this once. */
export const renewRecovery = (currentPassword: string, code: string) =>
  api.post<{ recovery_codes: string[] }>('/admin/totp/recovery', { currentPassword, code });

/** What a comparison found of one kind; `first` is at most 50 of them. */
export type StrayFinding = Schema<'findingJSON'>;

type Act = '' | 'adopt' | 'delete';

/** Which folder of a storage is compared with the shares, and what is done with what is found. */
export interface ReconcilePlan {
  storage_id: string;
  folder: string;
  /** report is the check whose findings are acted on. */
  report: string;
  objects: Act;
  records: Act;
  uploads: Act;
}

/** A comparison of a storage with the shares, as far as it is. */
export type Reconciliation = Schema<
  'reconciliationJSON',
  { created_at: string; skipped: '' | 'mounted' | 'shared' }
>;

/** reconciliations lists the latest comparisons. */
export const reconciliations = (signal?: AbortSignal) =>
  api.get<Reconciliation[]>('/admin/reconciliations', { signal });
/** reconcile starts a comparison; without choices it changes nothing. */
export const reconcile = (plan: Partial<ReconcilePlan>) =>
  api.post<{ id: string }>('/admin/reconciliations', plan);
