import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import { loadAreas, startLanguage } from '../i18n';
import { areas } from '../i18n/en';

// A busy machine may take long for what a lazy part brings.
configure({ asyncUtilTimeout: 60_000 });

// jsdom has no layout; an editor measures its text whenever a frame comes, also after the test that made it.
Range.prototype.getBoundingClientRect = () => new DOMRect();
Range.prototype.getClientRects = () => document.createElement('div').getClientRects();
// A window wide enough for everything, with a mouse.
globalThis.matchMedia ??= (media) =>
  Object.assign(new EventTarget(), { media, matches: false }) as MediaQueryList;
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

beforeEach(async () => {
  await startLanguage('en-US');
  await loadAreas(...Object.keys(areas));
});

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
});

// A question that comes after its test, when the test's own API is gone, is answered too.
globalThis.fetch = () => Promise.resolve(Response.json({ code: 404, success: false }, { status: 404 }));

// A lazy part that is still on its way would find its surroundings gone.
afterAll(() => vi.dynamicImportSettled());
