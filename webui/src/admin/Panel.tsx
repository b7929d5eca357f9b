import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { createElement, useEffect, useState, type ReactNode } from 'react';
import { Admin, CustomRoutes, Resource } from 'react-admin';
import { createBrowserRouter, Navigate, Route, RouterProvider } from 'react-router-dom';
import { useSession } from '../auth/session';
import { config } from '../config';
import { queryClient } from '../shared/query/client';
import { lazyView } from '../shared/view/View';
import { useResolvedTheme } from '../theme/mode';
import { Skeleton } from '../shared/ui';
import { mayUse } from './access';
import { authProvider } from './authProvider';
import { dataProvider } from './data/provider';
import { Frame } from './frame/Frame';
import { Missing } from './frame/Missing';
import { Notices } from './frame/Notices';
import { useI18nProvider } from './i18n';
import { firstPath, pages, type PanelPage } from './pages';
import { panelStore } from './store';
import { panelTheme } from './theme';

// The policy of the page lets only style elements with its nonce through.
const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce;
const cache = createCache({ key: 'ra', ...(nonce && { nonce }) });
const store = panelStore();
// A list is there at once for who comes back to it, and without a network waits for it with the rows it has.
for (const { path } of pages)
  queryClient.setQueryDefaults([path], { gcTime: 5 * 60_000, networkMode: 'online' });
const views = pages.map((page) => ({
  page,
  view: createElement(lazyView(page.load, ...(page.areas ?? []))),
}));

/** Panel is the react-admin half of the app, with a router of its own that follows the browser's address. */
export default function Panel() {
  const [router] = useState(makeRouter);
  useEffect(() => {
    // The links of the page's header write the address without asking this router; its own writing is over by then.
    const follow = () =>
      setTimeout(() => {
        const { pathname, search, hash } = window.location;
        const path = pathname.slice(config.basePath.length);
        if (pathname === router.state.location.pathname || !/^\/admin(\/|$)/.test(path)) return;
        void router.navigate({ pathname: path, search, hash }, { replace: true });
      });
    addEventListener('pushState', follow);
    addEventListener('replaceState', follow);
    return () => {
      removeEventListener('pushState', follow);
      removeEventListener('replaceState', follow);
      router.dispose();
    };
  }, [router]);
  return (
    <CacheProvider value={cache}>
      <RouterProvider router={router} />
    </CacheProvider>
  );
}

const makeRouter = () =>
  createBrowserRouter(
    [
      { path: '/admin/*', element: <Pages /> },
      { path: '*', element: null },
    ],
    {
      basename: config.basePath || '/',
    },
  );

function Pages() {
  const i18nProvider = useI18nProvider();
  const theme = useResolvedTheme();
  if (!i18nProvider) return <Skeleton lines={8} />;
  return (
    <Admin
      basename="/admin"
      authProvider={authProvider}
      dataProvider={dataProvider}
      queryClient={queryClient}
      i18nProvider={i18nProvider}
      store={store}
      theme={panelTheme(theme)}
      darkTheme={null}
      layout={Frame}
      notification={Notices}
      catchAll={Missing}
      loginPage={false}
      disableTelemetry
    >
      <CustomRoutes>
        {views
          .filter(({ page }) => page.path === '')
          .map((entry) => (
            <Route key="" path="/" element={<Guarded {...entry} />} />
          ))}
      </CustomRoutes>
      {views
        .filter(({ page }) => page.path !== '')
        .map((entry) => (
          <Resource key={entry.page.path} name={entry.page.path} list={<Guarded {...entry} />} />
        ))}
    </Admin>
  );
}

/** Guarded shows a page to those who may use it, and leads all others to the first page that they may. */
function Guarded({ page, view }: { page: PanelPage; view: ReactNode }) {
  const session = useSession();
  if (!mayUse(session, page.needs)) return <Navigate to={`/admin/${firstPath(session)}`} replace />;
  return view;
}
