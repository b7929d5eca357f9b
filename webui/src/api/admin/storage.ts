import { api } from '../client';
import { against, readTagged } from '../tagged';
import type { Schema } from '../schema';

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
export type Driver = Schema<'driverJSON', { fields: DriverField[] }>;

/**
 * A storage config as the administrator sees it; `tested` is how the last test ended, absent where the config as it
 * stands was not tried since the server started.
 */
export type Config = Schema<
  'configJSON',
  {
    created_at: string;
    updated_at: string;
    options: Record<string, unknown>;
    health?: { state: 'unknown' | 'ok' | 'refused' | 'down'; since: string | null; message: string };
    tested?: { at: string; verdict: Verdict };
  }
>;

/** How well a storage serves: all of it, with limits, or not at all. */
export type Verdict = 'full' | 'partial' | 'unusable';

/** What is sent of a storage config; absent fields stay as they are. */
export type ConfigDraft = Record<string, unknown>;

/** One step of the test of a storage; `remedy` says what to do about its `cause`, `detail` is for the log. */
export type TestStep = Schema<'testStepJSON', { state: 'ok' | 'warning' | 'failed' | 'skipped' }>;

/** What the test of a storage found, in the language of the page. */
export type TestReport = Schema<'testJSON', { result: Schema<'testResultJSON', { steps: TestStep[] }> }>;

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
