import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach } from 'vitest';
import { loadAreas, startLanguage } from '../i18n';
import { areas } from '../i18n/en';

// A loaded machine may take seconds for what a lazy part brings.
configure({ asyncUtilTimeout: 4000 });

beforeEach(async () => {
  await startLanguage('en-US');
  await loadAreas(...Object.keys(areas));
});

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
});
