import { readStored, writeStored } from '../config';
import { makeStore } from '../store';
import { makePhrases, type Phrases } from './phrases';
import type { Catalogue } from './shape';

export type Language = 'zh-CN' | 'en-US';
export type Translate = Phrases['t'];

const key = 'language';
const load: Record<Language, () => Promise<Catalogue>> = {
  'zh-CN': () => import('./zh'),
  'en-US': () => import('./en'),
};

interface Loaded {
  language: Language;
  catalogue: Catalogue;
  phrases: Phrases;
}

/** shown is the language on the screen; undefined before the first catalogue has arrived. */
export const shown = makeStore<Loaded | undefined>(undefined);
const wantedAreas = new Set<string>();

/** firstLanguage is the stored choice, else Chinese for a browser that speaks Chinese first, else English (§1). */
export function firstLanguage(): Language {
  const stored = readStored(key);
  if (stored === 'zh-CN' || stored === 'en-US') return stored;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en-US';
}

/** language is the language on the screen; before the first catalogue has arrived, the one that will be. */
export const language = (): Language => shown.get()?.language ?? firstLanguage();

async function build(next: Language): Promise<Loaded> {
  const catalogue = await load[next]();
  const phrases = makePhrases(next);
  phrases.add(catalogue.core);
  await Promise.all([...wantedAreas].map((area) => extend(catalogue, phrases, area)));
  return { language: next, catalogue, phrases };
}

async function extend(catalogue: Catalogue, phrases: Phrases, area: string): Promise<void> {
  const loader = catalogue.areas[area];
  if (!loader) throw new Error(`no such message area: ${area}`);
  phrases.add((await loader()).default, `${area}.`);
}

function show(next: Loaded): void {
  document.documentElement.lang = next.language;
  shown.set(next);
}

/**
 * startLanguage loads the first catalogue; render after it. Where it is shown already, as when a text was drawn before the
 * app, it stays, with the areas that were loaded since.
 */
export async function startLanguage(first: Language = firstLanguage()): Promise<void> {
  const isShown = () => shown.get()?.language === first;
  if (isShown()) return;
  const loaded = await build(first);
  if (!isShown()) show(loaded);
}

/** setLanguage loads a language with all areas in use, then shows it everywhere at once, and remembers it. */
export async function setLanguage(next: Language): Promise<void> {
  const loaded = await build(next);
  writeStored(key, next);
  show(loaded);
}

/** loadAreas loads message areas of the current language; a route calls it beside loading its chunk. */
export async function loadAreas(...areas: string[]): Promise<void> {
  const first = shown.get();
  if (!first) throw new Error('loadAreas before startLanguage');
  const missing = areas.filter((area) => !wantedAreas.has(area));
  await Promise.all(missing.map((area) => extend(first.catalogue, first.phrases, area)));
  for (const area of missing) wantedAreas.add(area);
  // A switch of language that ran meanwhile did not know these areas yet.
  const now = shown.get();
  if (now && now !== first) {
    const { catalogue, phrases } = now;
    await Promise.all(missing.map((area) => extend(catalogue, phrases, area)));
  }
}

/** t translates outside components, for instance in a toast; components use useT. */
export const t: Translate = (phrase, options) => shown.get()?.phrases.t(phrase, options) ?? phrase;

/** hasMessage says whether a text exists under this key. */
export const hasMessage = (phrase: string): boolean => shown.get()?.phrases.has(phrase) ?? false;
