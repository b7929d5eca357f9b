import { config } from '../config';

/** traces names the trace of what a signal can stop. */
const traces = new WeakMap<AbortSignal, string>();

/** beginTrace makes one trace of all calls that a signal can stop, when the server records traces. */
export function beginTrace(signal: AbortSignal): void {
  if (config.tracing) traces.set(signal, random(16));
}

/** joinTrace makes the calls that another signal can stop part of the same trace. */
export function joinTrace(signal: AbortSignal, whole: AbortSignal | undefined): void {
  const trace = whole && traces.get(whole);
  if (trace) traces.set(signal, trace);
}

/** traceHeaders name the trace of a call, as W3C Trace Context says; none without a trace. */
export function traceHeaders(signal: AbortSignal | undefined): Record<string, string> {
  const trace = signal && traces.get(signal);
  return trace ? { traceparent: `00-${trace}-${random(8)}-01` } : {};
}

const random = (bytes: number): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
