import { Linter } from 'eslint';
import { expect, it } from 'vitest';
import rooms from './rooms.mjs';

function problems(file, text) {
  const config = {
    files: ['**/*.ts'],
    plugins: { own: { rules: { rooms } } },
    rules: { 'own/rooms': 'error' },
  };
  return new Linter({ cwd: '/app' })
    .verify(text, config, { filename: `/app/src/${file}` })
    .map(({ message }) => message);
}

it.each([
  ['shared/ui/Button.ts', '../../api/errors', 'ui must not import api'],
  ['shared/format.ts', './site', 'ui must not import shared'],
  ['api/client.ts', '../auth/session', 'api must not import auth'],
  ['api/errorText.ts', '../shared/ui', 'api must not import ui'],
  ['auth/session.ts', '../shared/site', 'auth must not import shared'],
  ['shared/site.ts', '../shell/View', 'shared must not import shell'],
  ['admin/Panel.ts', '../pwa/queue', 'admin must not import pwa'],
  ['public/home/index.ts', '../paste/index', 'public/home must not import public/paste'],
  ['store.ts', './config', 'store must not import config'],
])('refuses that %s imports %s', (file, source, problem) => {
  expect(problems(file, `import '${source}';`)).toEqual([problem]);
  expect(problems(file, `export const later = () => import('${source}');`)).toEqual([problem]);
});

it.each([
  ['api/client.ts', '../i18n'],
  ['auth/LoginForm.ts', '../shared/ui/Button'],
  ['shared/site.ts', '../api/settings'],
  ['public/home/index.ts', '../../shared/site'],
  ['main.ts', './pwa'],
  ['api/client.test.ts', '../auth/session'],
])('lets %s import %s', (file, source) => {
  expect(problems(file, `import '${source}';`)).toEqual([]);
});
