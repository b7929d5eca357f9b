import { cleanup } from '@testing-library/react';
import { afterEach, beforeEach } from 'vitest';
import { startLanguage } from '../i18n';

beforeEach(async () => {
  await startLanguage('en-US');
});

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
});
