import { apiBaseKey, config, readStoredJson, writeStored } from '../../config';

const recentKey = 'pp.apiBases';
/** How many back ends of one's own are remembered. */
const kept = 5;

const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');

/** presets are the back ends to choose from: the page's own first, then those that were used before. */
export function presets(): string[] {
  return [
    ...new Set([
      config.ownApiBase,
      '/api',
      ...(import.meta.env.DEV ? ['http://localhost:8787/api'] : []),
      ...(readStoredJson(recentKey, isList) ?? []),
    ]),
  ];
}

/** cleanBase is what was typed as a base address: a path of this origin or an http address; undefined for others. */
export function cleanBase(typed: string): string | undefined {
  const text = typed.trim().replace(/\/+$/, '');
  if (!/^(https?:\/\/|\/(?!\/))/i.test(text)) return undefined;
  try {
    const { protocol, username, search, hash, origin, pathname } = new URL(text, location.origin);
    if (!/^https?:$/.test(protocol) || username || search || hash) return undefined;
    return origin === location.origin ? pathname : origin + pathname.replace(/\/+$/, '');
  } catch {
    return undefined;
  }
}

export type Trial = 'good' | 'policy' | 'silent' | 'other';

/**
 * tryBase asks a back end for its health. "policy": the content security policy of this page does not let it speak
 * there; "silent": no answer; "other": something else answers.
 */
export async function tryBase(base: string): Promise<Trial> {
  const { origin } = new URL(base, location.origin);
  let refused = false;
  const note = ({ blockedURI }: SecurityPolicyViolationEvent) => {
    if (blockedURI.startsWith(origin)) refused = true;
  };
  document.addEventListener('securitypolicyviolation', note);
  try {
    const answer = await fetch(`${base}/health`, {
      signal: AbortSignal.timeout(10_000),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    });
    const type = answer.headers.get('Content-Type') ?? '';
    return answer.ok && type.includes('json') ? 'good' : 'other';
  } catch {
    // The report comes as an event of its own.
    await new Promise((resolve) => setTimeout(resolve, 50));
    return refused ? 'policy' : 'silent';
  } finally {
    document.removeEventListener('securitypolicyviolation', note);
  }
}

/** keepBase makes this device use a back end from the next page load on. Reports whether the store took it. */
export function keepBase(base: string): boolean {
  const recent = (readStoredJson(recentKey, isList) ?? []).filter((other) => other !== base);
  if (base !== config.ownApiBase) writeStored(recentKey, JSON.stringify([base, ...recent].slice(0, kept)));
  return writeStored(apiBaseKey, base === config.ownApiBase ? '' : base);
}

/** isForeign says whether a back end is of another origin, which must not be sent this one's credentials. */
export const isForeign = (base: string) => new URL(base, location.origin).origin !== location.origin;
