import { cleanup } from '@testing-library/react';
import { afterEach, beforeEach } from 'vitest';
import { loadAreas, startLanguage } from '../i18n';
import { areas } from '../i18n/en';

beforeEach(async () => {
  await startLanguage('en-US');
  await loadAreas(...Object.keys(areas));
});

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
});
