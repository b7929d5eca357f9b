import { config } from '../config';
import { language } from '../i18n';
import { authorization, credential, loseCredential, type Credential } from './credentials';
import { takeEarly } from './early';
import { ApiError } from './errors';
import { offline } from './offline';
import { traceHeaders } from './trace';

export { ApiError, isAborted, isQueued } from './errors';

/** Default time limit of a call in milliseconds (§7). */
const defaultTimeout = 30_000;

/** Parameters of an address; undefined ones are left out. */
export type Query = Record<string, string | number | boolean | undefined>;

/** How a call is made, and who is told what of its answer. */
export interface CallOptions {
  /** query parameters; undefined ones are left out. */
  query?: Query;
  signal?: AbortSignal | undefined;
  /** timeout in milliseconds; 30 s by default. */
  timeout?: number;
  headers?: Record<string, string>;
  /** as sends another credential than the session's, for instance a key that is being checked. */
  as?: Credential;
  /** tell has the owner told when what this call makes is opened, where it is made later, by the queue. */
  tell?: boolean;
  /** idempotencyKey lets a repeated write be answered from the first one. */
  idempotencyKey?: string;
  /** live asks the server and nobody else: no copy on this device, no queue. */
  live?: boolean;
  /** onCopy is told when the answer is the copy of this device, with the time it was taken. */
  onCopy?: (at: Date) => void;
  /** onTag is given the entity tag of a successful answer; "" when it has none. */
  onTag?: (etag: string) => void;
  /** onAge is given how old the server says that the answer is, in seconds (RFC 9111). */
  onAge?: (seconds: number) => void;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Body of an answer that carries the envelope `{code, message, data}`. */
interface Envelope {
  code: number;
  message?: unknown;
  data?: unknown;
  error?: unknown;
  request_id?: unknown;
}

/** apiUrl is the address of a call, for links and forms that do not go through `api`. */
export function apiUrl(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.toString();
  return `${config.apiBase}${path}${text ? `?${text}` : ''}`;
}

/** authHeaders are the headers that say who is asking, for requests that need XMLHttpRequest. */
export function authHeaders(as: Credential = credential()): Record<string, string> {
  const value = authorization(as);
  return value ? { Authorization: value } : {};
}

/** newIdempotencyKey is a random UUID; made without randomUUID, which plain http does not have. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte, at) => {
    const value = at === 6 ? (byte & 0x0f) | 0x40 : at === 8 ? (byte & 0x3f) | 0x80 : byte;
    return value.toString(16).padStart(2, '0');
  });
  const text = hex.join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
    '-',
  );
}

/**
 * api makes the calls of §7. Answers in the envelope are unwrapped to their `data`; bare answers come as they
 * are. `whole` gives the body unopened, for lists whose paging stands beside `data`.
 *
 * Throws ApiError for every failure, the end of a time limit and an abort included.
 */
export const api = {
  get: <T>(path: string, options?: CallOptions) => call('GET', path, undefined, options).then(open<T>),
  post: <T>(path: string, body?: unknown, options?: CallOptions) =>
    call('POST', path, body ?? {}, options).then(open<T>),
  put: <T>(path: string, body?: unknown, options?: CallOptions) =>
    call('PUT', path, body ?? {}, options).then(open<T>),
  del: <T>(path: string, body?: unknown, options?: CallOptions) =>
    call('DELETE', path, body, options).then(open<T>),
  whole: <T>(path: string, options?: CallOptions) =>
    call('GET', path, undefined, options).then((body) => body as T),
};

function isEnvelope(body: unknown): body is Envelope {
  return typeof body === 'object' && body !== null && typeof (body as { code?: unknown }).code === 'number';
}

const open = <T>(body: unknown): T => (isEnvelope(body) ? body.data : body) as T;

async function call(
  method: Method,
  path: string,
  body: unknown,
  options: CallOptions = {},
): Promise<unknown> {
  const as = options.as ?? credential();
  const form = body instanceof FormData;
  const headers: Record<string, string> = {
    Accept: 'application/json',
    'Accept-Language': language(),
    ...(body !== undefined && !form && { 'Content-Type': 'application/json' }),
    ...(options.idempotencyKey && { 'Idempotency-Key': options.idempotencyKey }),
    ...authHeaders(as),
    ...traceHeaders(options.signal),
    ...options.headers,
  };
  const device = !options.live && !options.as && !form;
  const url = apiUrl(path, options.query);
  const local = url.slice(config.apiBase.length);
  const asked = request(url, options, {
    method,
    headers,
    ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
  });
  const isShare = device && method === 'GET' && /^\/(paste|public\/files)\//.test(local);
  const response = await (isShare ? soon(asked, local, options) : asked).catch(async (error: ApiError) => {
    const lost = error.failure === 'network' || (method === 'GET' && error.failure === 'timeout');
    if (!device || !lost) throw error;
    // The part of the app that works without a network; where it was never loaded, the error stands.
    const standIn = await offline()
      .standIn()
      .catch(() => {
        throw error;
      });
    const { idempotencyKey = '', tell, headers: { 'If-Match': etag = '' } = {} } = options;
    const copy = await standIn(
      { method, path: local, body, etag, idempotencyKey, ...(tell && { tell }) },
      error,
    );
    options.onCopy?.(new Date(copy.takenAt));
    return { ok: true, ...copy } as Answer & typeof copy;
  });
  if (response.ok && accepted(response.body)) {
    options.onTag?.(response.etag);
    if (response.age !== undefined) options.onAge?.(response.age);
    // What was read with a credential that has ended since belongs to nobody here.
    if (device && method === 'GET' && response.status && response.body !== undefined && credential() === as)
      remember(local, response);
    return response.body;
  }
  const error = errorOf(response);
  // What this account may not read any more, or nobody, leaves no copy.
  if (device && method === 'GET' && refuses(response) && credential() === as)
    remember(local, { body: undefined, etag: '' });
  if (error.status === 401 && !options.as && endsSession(path, error, as)) loseCredential(as);
  throw error;
}

/** How long in milliseconds a share may take before the copy on this device is shown, where there is one. */
export const patience = 4000;

/** soon gives the answer, or the copy on this device when the answer takes too long. */
function soon(asked: Promise<Answer>, path: string, { onCopy }: CallOptions): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const copy = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => {
      offline()
        .standBy()
        .then((standBy) => standBy(path, asked))
        .then(
          (kept) => {
            if (!kept) return;
            onCopy?.(new Date(kept.takenAt));
            resolve({ ok: true, body: kept.body, etag: kept.etag } as Answer);
          },
          () => undefined,
        );
    }, patience);
  });
  return Promise.race([asked, copy]).finally(() => clearTimeout(timer));
}

type Keep = (path: string, answer: Pick<Answer, 'body' | 'etag'>) => void;

// What the first page reads comes before the part of the app that keeps copies.
let early: { as: Credential; args: Parameters<Keep> }[] = [];

/** remember keeps a copy for reading without a network. */
let remember: Keep = (...args) => {
  if (early.length < 20) early.push({ as: credential(), args });
};

/** onAnswer says who keeps copies of what was read. */
export function onAnswer(keep: Keep): void {
  remember = keep;
  for (const { as, args } of early) if (credential() === as) keep(...args);
  early = [];
}

/** accepted applies §5: a body with a code field counts only with 200, 201 or 202. */
const accepted = (body: unknown): boolean => !isEnvelope(body) || [200, 201, 202].includes(body.code);

/**
 * refuses tells answers of the server that leave no copy from those of a server that only fails, and from those of
 * something in its place.
 */
export const refuses = ({ status, body }: Pick<Answer, 'status' | 'body'>): boolean =>
  isEnvelope(body) && [401, 403, 404, 410].includes(status < 300 ? body.code : status);

interface Answer {
  ok: boolean;
  status: number;
  statusText: string;
  retryAfter: number | undefined;
  requestId: string;
  decisionId: string;
  etag: string;
  /** age in seconds; undefined where nobody says. */
  age?: number | undefined;
  body: unknown;
}

async function request(url: string, options: CallOptions, init: RequestInit): Promise<Answer> {
  const early = takeEarly(url, init);
  const abort = early?.stop ?? new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    abort.abort();
  }, options.timeout ?? defaultTimeout);
  const forward = () => abort.abort();
  options.signal?.addEventListener('abort', forward);
  if (options.signal?.aborted) forward();
  try {
    const response = await (early?.answer ??
      fetch(url, { ...init, signal: abort.signal, cache: 'no-store' }));
    const text = await response.text();
    return {
      ok: response.ok,
      status: response.status,
      statusText: response.statusText,
      retryAfter: secondsOf(response.headers.get('Retry-After')),
      requestId: response.headers.get('X-Request-Id') ?? '',
      decisionId: response.headers.get('X-Decision-Id') ?? '',
      etag: response.headers.get('ETag') ?? '',
      age: secondsOf(response.headers.get('Age')),
      body: parse(text, response),
    };
  } catch {
    if (timedOut) throw new ApiError('', { failure: 'timeout' });
    throw new ApiError('', { failure: abort.signal.aborted ? 'aborted' : 'network' });
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', forward);
  }
}

/**
 * parse reads an answer. A success that is no JSON, or half of it, or says nothing where it should, is not the
 * server's: that throws.
 */
function parse(text: string, { ok, status }: Response): unknown {
  if (!text && status === noContent) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (ok) throw error;
    return undefined;
  }
}

/** The one answer without a body (RFC 9110); of the calls of §7 none gives it. */
const noContent = 204;

/** secondsOf reads Retry-After, which holds seconds or a date, and Age. */
function secondsOf(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}

function errorOf(response: Answer): ApiError {
  const body: Record<string, unknown> =
    typeof response.body === 'object' && response.body !== null
      ? (response.body as Record<string, unknown>)
      : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  // A refusal inside a 2xx answer counts with the code it names (§5).
  const status = response.ok && typeof body.code === 'number' ? body.code : response.status;
  return new ApiError(text(body.message), {
    status,
    code: text(body.error),
    requestId: text(body.request_id) || response.requestId,
    decisionId: response.decisionId,
    field: text(body.field),
    ...(response.retryAfter !== undefined && { retryAfter: response.retryAfter }),
  });
}

// Answers 401 that speak of a share's password or of a password being changed, not of the session (§8).
const passwordPaths =
  /^\/(paste\/|raw\/|public\/(files|collections)\/|file-view\/|file-download\/|office-preview\/|admin\/(login|change-password)$)/;
const filePaths = /^\/(files|upload)/;
const accessDenied = /未授权访问|无权访问/;
const deniedCodes = ['permission_denied', 'path_forbidden', 'storage_forbidden', 'not_owner'];

/** endsSession decides which 401 signs the caller out (§8). */
function endsSession(path: string, error: ApiError, as: Credential): boolean {
  // A share that guests may not open ends no session of theirs.
  if (as.kind === 'none' || error.code === 'key_required') return false;
  if (path === '/admin/change-password') return error.code === 'unauthenticated' && as.kind === 'admin';
  if (passwordPaths.test(path)) return false;
  const denied = accessDenied.test(error.message) || deniedCodes.includes(error.code);
  return !(as.kind === 'apikey' && filePaths.test(path) && denied);
}
