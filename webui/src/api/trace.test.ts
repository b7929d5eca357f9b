import { afterEach, describe, expect, it } from 'vitest';
import { config } from '../config';
import { beginTrace, joinTrace, traceHeaders } from './trace';

const was = config.tracing;

afterEach(() => {
  config.tracing = was;
});

const idOf = (signal: AbortSignal) => traceHeaders(signal).traceparent?.split('-')[1];

describe('trace', () => {
  it('makes one trace of what a signal can stop, with a span for each call', () => {
    config.tracing = true;
    const { signal } = new AbortController();
    beginTrace(signal);
    const [first, second] = [traceHeaders(signal).traceparent, traceHeaders(signal).traceparent];
    expect(first).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(second?.split('-')[1]).toBe(first?.split('-')[1]);
    expect(second).not.toBe(first);
  });

  it('lets the parts of an upload, which have a signal of their own, join its trace', () => {
    config.tracing = true;
    const [upload, parts] = [new AbortController().signal, new AbortController().signal];
    beginTrace(upload);
    joinTrace(parts, upload);
    expect(idOf(parts)).toBe(idOf(upload));
  });

  it('sends nothing to a server that records no traces', () => {
    config.tracing = false;
    const { signal } = new AbortController();
    beginTrace(signal);
    expect(traceHeaders(signal)).toEqual({});
    expect(traceHeaders(undefined)).toEqual({});
  });
});
