import { api } from '../client';
import { against, readTagged } from '../tagged';

type Words = Record<string, string>;

/** A field of a driver's configs, as the driver describes it. */
export interface DriverField {
  key: string;
  label: Words;
  help: Words;
  type: 'text' | 'textarea' | 'password' | 'number' | 'bool' | 'select' | 'url';
  required: boolean;
  /** secret fields are never answered; sent blank they stay. */
  secret: boolean;
  /** flat fields stand in the config itself, all others in its options. */
  flat: boolean;
  options: { value: string; label: Words }[];
  default: string;
}

/** A storage plugin; `problem` says why it is not available. */
export interface Driver {
  name: string;
  label: Words;
  version: string;
  storage_type: string;
  provider_type: string;
  total_storage_bytes: number;
  available: boolean;
  problem: string | null;
  capabilities: Record<string, boolean>;
  fields: DriverField[];
}

/** A storage config as the administrator sees it. */
export interface Config {
  id: string;
  name: string;
  driver: string;
  storage_type: string;
  provider_type: string;
  endpoint_url: string;
  bucket_name: string;
  region: string;
  path_style: 0 | 1;
  options: Record<string, unknown>;
  default_folder: string;
  is_public: 0 | 1;
  is_default: 0 | 1;
  total_storage_bytes: number;
  custom_host: string | null;
  signature_expires_in: number;
  created_at: string;
  updated_at: string;
  last_used: string | null;
  has_credentials: 0 | 1;
  key_tail: string;
  health?: { state: 'unknown' | 'ok' | 'refused' | 'down'; since: string | null; message: string };
  /** tested is how the last test ended, absent where the config as it stands was not tried since the server started. */
  tested?: { at: string; verdict: Verdict };
}

/** How well a storage serves: all of it, with limits, or not at all. */
export type Verdict = 'full' | 'partial' | 'unusable';

/** What is sent of a storage config; absent fields stay as they are. */
export type ConfigDraft = Record<string, unknown>;

/** One step of the test of a storage; `remedy` says what to do about its `cause`. */
export interface TestStep {
  name: string;
  label: string;
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  ok: boolean;
  ms: number;
  cause: string | null;
  remedy: string | null;
  /** detail is what the driver tells the log, for those who look for the cause. */
  detail?: string | null;
  code: string | null;
}

/** What the test of a storage found, in the language of the page. */
export interface TestReport {
  success: boolean;
  result: {
    read: {
      success: boolean;
      objectCount: number;
      prefix: string;
      firstObjects: { key: string; size: string }[];
    };
    write: { success: boolean; uploadTime: number };
    cors: { success: boolean; configGuide: string | null };
    connectionInfo: Record<string, string>;
    globalNote: string;
    steps: TestStep[];
  };
}

const at = (id: string) => `/s3-configs/${encodeURIComponent(id)}`;
/** The server ends a test after 25 seconds by itself. */
const patience = 60_000;

/** listDrivers lists the storage plugins, also those that could not be started. */
export const listDrivers = (signal?: AbortSignal) => api.get<Driver[]>('/admin/drivers', { signal });
/** listConfigs lists the storage configs. */
export const listConfigs = (signal?: AbortSignal) => api.get<Config[]>('/s3-configs', { signal });
/** readConfig reads a config with its entity tag. */
export const readConfig = (id: string) => readTagged<Config>(at(id));
/** createConfig saves a new config. */
export const createConfig = (draft: ConfigDraft) => api.post<Config>('/s3-configs', draft);
/** updateConfig changes a config; fails with 412 when it is no longer the one that `tag` names. */
export const updateConfig = (id: string, draft: ConfigDraft, tag = '') =>
  api.put<unknown>(at(id), draft, against(tag));
/** deleteConfig removes a config; refused while mounts or files use it. */
export const deleteConfig = (id: string) => api.del<unknown>(at(id));
/** setDefaultConfig makes a config the one that uploads go to. */
export const setDefaultConfig = (id: string) => api.put<unknown>(`${at(id)}/set-default`);
/** setCors has the storage let browsers in from this site. */
export const setCors = (id: string) => api.post<unknown>(`${at(id)}/cors`);
/** testConfig tries a stored config. */
export const testConfig = (id: string, signal?: AbortSignal) =>
  api.post<TestReport>(`${at(id)}/test`, {}, { signal, timeout: patience });

/** testDraft tries a config that is not saved; `id` names the stored one whose fields are kept. */
export const testDraft = (draft: ConfigDraft, id?: string, signal?: AbortSignal) =>
  api.post<TestReport>('/s3-configs/test', id ? { ...draft, id } : draft, { signal, timeout: patience });
