import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import circles from './eslint-rules/circles.mjs';
import rooms from './eslint-rules/rooms.mjs';

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'src/api/described.d.ts', 'test-results', 'playwright-report'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  reactHooks.configs.flat.recommended,
  {
    languageOptions: { globals: { ...globals.browser } },
    plugins: { pasteport: { rules: { circles, rooms } } },
    rules: {
      'pasteport/circles': 'error',
      'pasteport/rooms': 'error',
      'no-alert': 'error',
      'no-console': ['error', { allow: ['error', 'warn'] }],
      eqeqeq: 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-dynamic-delete': 'off',
    },
  },
  {
    files: ['scripts/**', 'eslint-rules/**', '*.config.{js,ts}', 'e2e/**'],
    languageOptions: { globals: { ...globals.node } },
    rules: { 'no-console': 'off' },
  },
  // Playwright's fixtures are handed a function called use, which is no hook.
  { files: ['e2e/**'], rules: { 'react-hooks/rules-of-hooks': 'off' } },
  { files: ['**/*.cjs'], languageOptions: { globals: { ...globals.commonjs } } },
);
