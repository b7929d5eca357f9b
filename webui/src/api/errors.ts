/**
 * How a call failed before the server gave an answer; "" when there was one. "queued" is a write that waits on this
 * device until the network is back, "later" one that cannot wait and is to be tried again then.
 */
type Failure = '' | 'timeout' | 'aborted' | 'network' | 'queued' | 'later';

interface Details {
  status?: number;
  code?: string;
  requestId?: string;
  decisionId?: string;
  retryAfter?: number;
  failure?: Failure;
  field?: string;
}

/** ApiError is a call that did not succeed. */
export class ApiError extends Error {
  /** status is the HTTP status; 0 when no answer came. */
  readonly status: number;
  /** code is the machine-readable `error` of the answer, for instance "slug_taken"; "" when it had none. */
  readonly code: string;
  /** requestId names the request in the server's log; "" when unknown. */
  readonly requestId: string;
  /** decisionId names a refusal in the server's log of decisions, where its reason stands; "" when unknown. */
  readonly decisionId: string;
  /** retryAfter is how many seconds to wait, when the server said so. */
  readonly retryAfter: number | undefined;
  readonly failure: Failure;
  /** field is the part of the input that is wrong, for a form to mark; "" when the server named none. */
  readonly field: string;

  /** message is the server's text for people; "" when it sent none. */
  constructor(message: string, details: Details = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = details.status ?? 0;
    this.code = details.code ?? '';
    this.requestId = details.requestId ?? '';
    this.decisionId = details.decisionId ?? '';
    this.retryAfter = details.retryAfter;
    this.failure = details.failure ?? '';
    this.field = details.field ?? '';
  }
}

/** isAborted says whether a call ended because its screen went away; such errors are not shown. */
export const isAborted = (error: unknown): boolean =>
  error instanceof ApiError && error.failure === 'aborted';

/** isQueued says whether a write was put by until the network is back. */
export const isQueued = (error: unknown): boolean => error instanceof ApiError && error.failure === 'queued';
