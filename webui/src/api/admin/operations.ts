import { language } from '../../i18n';
import { api, ApiError, apiUrl, authHeaders, type Query } from '../client';

/** Rules are files of Rego by name. */
export type Rules = Record<string, string>;

export interface Problem {
  file: string;
  row: number;
  column: number;
  code: string;
  message: string;
}

export interface RuleTest {
  name: string;
  file: string;
  row: number;
  passed: boolean;
  message: string;
}

export interface Coverage {
  file: string;
  covered: [number, number][];
  not_covered: [number, number][];
  percent: number;
}

export interface Rule {
  file: string;
  row: number;
  set: string;
  code: string;
  title: string;
  description: string;
  owner: string;
}

export interface Report {
  ok: boolean;
  revision: string;
  problems: Problem[];
  tests: RuleTest[];
  coverage: Coverage[];
  percent: number;
  rules: Rule[];
  formatted: Rules;
}

export interface Revision {
  id: string;
  number: number;
  hash: string;
  note: string;
  author: string;
  created_at: string;
  files?: Rules;
}

export interface Difference {
  action: string;
  name: string;
  type: string;
  allowed: boolean;
  shadow: boolean;
  reasons: string[];
  count: number;
  path: string;
}

export interface PolicyOverview {
  in_force: string;
  source: 'panel' | 'folder';
  folder: string;
  broken: string;
  state: { active: string; previous: string; trial_ends_at: string | null; shadow: string; failed: string };
  files: Rules;
  revisions: Revision[];
  shadow: {
    asked: number;
    differ: number;
    failed: number;
    dropped: number;
    differences: Difference[];
  } | null;
}

export interface RuleHits extends Rule {
  hits_24h: number;
  hits: number;
  last_hit: string | null;
}

export interface Explanation {
  allow: boolean;
  failed: string;
  reasons: { code: string; message: string; source: string }[];
  obligations: Record<string, number>;
  fired: Rule[];
  took_us: number;
  trace: string;
}

export interface Decision {
  n: number;
  decision_id: string;
  timestamp: string;
  type: string;
  name: string;
  action: string;
  path: string;
  allow: boolean;
  codes: string[];
  failed: string;
  client_ip: string;
  request_id: string;
  input: unknown;
}

const policies = '/admin/policies';

export const policyOverview = (signal?: AbortSignal) => api.get<PolicyOverview>(policies, { signal });
export const rulesInForce = (signal?: AbortSignal) => api.get<RuleHits[]>(`${policies}/rules`, { signal });
export const checkRules = (files: Rules) => api.post<Report>(`${policies}/check`, { files });
export const saveRules = (files: Rules, note: string) => api.post<Revision>(policies, { files, note });
export const revision = (id: string, signal?: AbortSignal) =>
  api.get<Revision>(`${policies}/${id}`, { signal });
/** activateRules puts a revision in force; with seconds on trial, after which it goes back by itself. */
export const activateRules = (id: string, seconds = 0) =>
  api.post<unknown>(`${policies}/${id}/activate`, { trial_seconds: seconds });
export const confirmRules = () => api.post<unknown>(`${policies}/confirm`);
export const shadowRules = (id: string) =>
  id ? api.post<unknown>(`${policies}/${id}/shadow`) : api.del<unknown>(`${policies}/shadow`);
export const explain = (question: Record<string, unknown>, signal?: AbortSignal) =>
  api.post<Explanation>(`${policies}/explain`, question, { signal });

/** Whether a key is allowed something. */
export interface Verdict {
  id: string;
  name: string;
  allow: boolean;
  reasons: Explanation['reasons'];
  failed: string;
}

/** whoMay asks a question for each API key. */
export const whoMay = (question: Record<string, unknown>) => api.post<Verdict[]>(`${policies}/who`, question);
/** actionNames are all actions that rules can be asked about. */
export const actionNames = async (signal?: AbortSignal) =>
  Object.keys(
    (await api.get<{ abilities: Record<string, boolean> }>('/policy/abilities', { signal })).abilities,
  );
export const keyNames = (signal?: AbortSignal) =>
  api.get<{ id: string; name: string }[]>('/admin/api-keys', { signal });

export const decisions = async (query: Query, signal?: AbortSignal) => {
  const page = await api.get<{ decisions: Decision[]; next: number | null }>('/admin/decisions', {
    query,
    signal,
  });
  return { rows: page.decisions, next: page.next };
};
export const decision = (id: string, signal?: AbortSignal) =>
  api.get<Decision>(`/admin/decisions/${encodeURIComponent(id)}`, { signal });

export interface AuditEntry {
  n: number;
  timestamp: string;
  type: string;
  name: string;
  action: string;
  target: string;
  outcome: 'done' | 'failed';
  code: string;
  client_ip: string;
  request_id: string;
  details: unknown;
}

export const auditEntries = async (query: Query, signal?: AbortSignal) => {
  const page = await api.get<{ entries: AuditEntry[]; next: number | null }>('/admin/audit', {
    query,
    signal,
  });
  return { rows: page.entries, next: page.next };
};

/** What the check of one chain of the audit log has found. */
export interface Proof {
  chain: string;
  entries: number;
  /** broken is the number of the first entry that is not as it was written; 0: none. */
  broken: number;
  /** missing is the end that was cut off; "": neither. */
  missing: 'newest' | 'oldest' | '';
  ok: boolean;
}

export const verifyAudit = () => api.get<Proof[]>('/admin/audit/verify');

export interface SharedItem {
  kind: 'paste' | 'file';
  id: string;
  slug: string;
  name: string;
  path: string;
  size: number;
  has_password: boolean;
  expires_at: string | null;
  max_views: number;
  views: number;
  created_by: string;
  created_at: string;
}

export const sharedItems = async (query: Query, signal?: AbortSignal) => {
  const page = await api.get<{ shares: SharedItem[]; total: number; next: string | null }>('/admin/shares', {
    query,
    signal,
  });
  return { rows: page.shares, next: page.next };
};
export const revokeShares = (items: Pick<SharedItem, 'kind' | 'id'>[]) =>
  api.post<{ success: number; failed: { id: string; error: string }[] }>('/admin/shares/revoke', { items });
export const storageNames = (signal?: AbortSignal) =>
  api.get<{ id: string; name: string }[]>('/s3-configs', { signal });
export const mountPaths = (signal?: AbortSignal) =>
  api.get<{ id: string; name: string; mount_path: string }[]>('/admin/mounts', { signal });

export interface Manifest {
  created_at: string;
  version: string;
  counts: Record<string, number> | null;
  bytes: number;
}

export const backupState = (signal?: AbortSignal) =>
  api.get<{ database: string; staged: Manifest | null }>('/admin/backup', { signal });
export const forgetRestore = () => api.del<unknown>('/admin/backup/restore');

/**
 * stageRestore sends a backup, which the server proves and keeps for its next start. One that its master key does not
 * prove is refused with the code backup_unsigned, unless `acceptUnsigned`.
 */
export async function stageRestore(file: File, acceptUnsigned = false): Promise<void> {
  const query: Query = acceptUnsigned ? { accept_unsigned: true } : {};
  const answer = await fetch(apiUrl('/admin/backup/restore', query), {
    method: 'POST',
    headers: headers(),
    body: file,
  });
  if (!answer.ok) throw await failure(answer);
}

/** headers make the server answer in the language of the page. */
const headers = () => ({ ...authHeaders(), 'Accept-Language': language() });

/** fetchFile fetches a file that needs the session, for instance an export. */
export async function fetchFile(method: 'GET' | 'POST', path: string, query: Query = {}): Promise<Blob> {
  const answer = await fetch(apiUrl(path, query), { method, headers: headers(), cache: 'no-store' });
  if (!answer.ok) throw await failure(answer);
  return answer.blob();
}

async function failure(answer: Response): Promise<ApiError> {
  const body = (await answer.json().catch(() => ({}))) as { message?: string; error?: string };
  return new ApiError(body.message ?? '', { status: answer.status, code: body.error ?? '' });
}

export interface SecondStep {
  enabled: boolean;
  recovery_codes_left: number;
}

export const secondStep = (signal?: AbortSignal) => api.get<SecondStep>('/admin/totp', { signal });
export const beginSecondStep = (currentPassword: string) =>
  api.post<{ secret: string; url: string }>('/admin/totp/begin', { currentPassword });
export const enableSecondStep = (code: string) =>
  api.post<{ recovery_codes: string[] }>('/admin/totp/enable', { code });
export const disableSecondStep = (currentPassword: string, code: string) =>
  api.post<unknown>('/admin/totp/disable', { currentPassword, code });
export const renewRecovery = (currentPassword: string, code: string) =>
  api.post<{ recovery_codes: string[] }>('/admin/totp/recovery', { currentPassword, code });
