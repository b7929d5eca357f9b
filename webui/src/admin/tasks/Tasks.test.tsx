import { render, screen } from '@testing-library/react';
import { AdminContext, memoryStore, ResourceContextProvider } from 'react-admin';
import { afterEach, expect, it, vi } from 'vitest';
import { setLanguage } from '../../i18n';
import { queryClient } from '../../shared/query/client';
import { fakeApi } from '../../testing/fakeApi';
import { dataProvider } from '../data/provider';
import { useI18nProvider } from '../i18n';
import { wouterProvider } from '../router';
import Tasks from './index';

const taskWith = (error: object) => ({
  id: 't1',
  type: 'copy',
  title: '/disk/a.txt',
  status: 'failed',
  progress: 0,
  bytes: { total: 0, done: 0 },
  items: { total: 1, completed: 0, skipped: 0, failed: 1 },
  error,
  created_at: '2026-11-01T00:00:00Z',
});

function Page() {
  const i18nProvider = useI18nProvider();
  if (!i18nProvider) return null;
  return (
    <AdminContext
      dataProvider={dataProvider}
      routerProvider={wouterProvider}
      queryClient={queryClient}
      i18nProvider={i18nProvider}
      store={memoryStore()}
    >
      <ResourceContextProvider value="tasks">
        <Tasks />
      </ResourceContextProvider>
    </AdminContext>
  );
}

afterEach(async () => {
  await setLanguage('en-US');
  vi.unstubAllGlobals();
});

it('a failed task says why in the language on the screen, also after that has changed', async () => {
  fakeApi({
    'GET /fs/tasks': ({ headers }) => {
      const chinese = headers.get('Accept-Language') === 'zh-CN';
      const message = chinese ? '挂载点不存在' : '不存在 (no such mount)';
      const tasks = [taskWith({ error: 'mount_not_found', message })];
      return { code: 200, data: { tasks, pagination: { total: 1 } } };
    },
  });
  render(<Page />);
  expect(await screen.findByText('No such mount')).toBeTruthy();
  await setLanguage('zh-CN');
  expect(await screen.findByText('挂载点不存在')).toBeTruthy();
});
