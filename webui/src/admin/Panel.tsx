import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { createElement, type ReactNode } from 'react';
import { Admin, CustomRoutes, Resource } from 'react-admin';
import { useSession } from '../auth/session';
import { cspNonce } from '../config';
import { queryClient } from '../shared/query/client';
import { lazyView } from '../shared/view/View';
import { useResolvedTheme } from '../theme/mode';
import { Skeleton } from '../shared/ui';
import { mayUse } from './access';
import { authProvider } from './authProvider';
import { dataProvider, sources } from './data/provider';
import { Frame } from './frame/Frame';
import { Missing } from './frame/Missing';
import { Notices } from './frame/Notices';
import { useI18nProvider } from './i18n';
import { PageContext } from './page';
import { firstPath, pages, type PanelPage } from './pages';
import { Navigate, Route, wouterProvider } from './router';
import { panelStore } from './store';
import { panelTheme } from './theme';

// The policy of the page lets only style elements with its nonce through.
const nonce = cspNonce();
const cache = createCache({ key: 'ra', ...(nonce && { nonce }) });
const store = panelStore();
// A list is there at once for who comes back to it, and without a network waits for it with the rows it has.
for (const path of Object.keys(sources))
  queryClient.setQueryDefaults([path, 'getList'], { gcTime: 5 * 60_000, networkMode: 'online' });
const guarded = (page: PanelPage, load: PanelPage['load']) => (
  <Guarded page={page} view={createElement(lazyView(load, ...(page.areas ?? [])))} />
);
const views = pages.map((page) => ({
  path: page.path,
  list: guarded(page, page.load),
  form: page.form && guarded(page, page.form),
}));

/** Panel is the react-admin half of the app, on the router of the whole. */
export default function Panel() {
  return (
    <CacheProvider value={cache}>
      <Pages />
    </CacheProvider>
  );
}

function Pages() {
  const i18nProvider = useI18nProvider();
  const theme = useResolvedTheme();
  if (!i18nProvider) return <Skeleton lines={8} />;
  return (
    <Admin
      basename="/admin"
      routerProvider={wouterProvider}
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
          .filter(({ path }) => !(path in sources))
          .map(({ path, list }) => (
            <Route key={path} path={`/${path}`} element={list} />
          ))}
      </CustomRoutes>
      {views
        .filter(({ path }) => path in sources)
        .map(({ path, list, form }) => (
          <Resource key={path} name={path} list={list} create={form} edit={form} />
        ))}
    </Admin>
  );
}

/** Guarded shows a page to those who may use it, and leads all others to the first page that they may. */
function Guarded({ page, view }: { page: PanelPage; view: ReactNode }) {
  const session = useSession();
  if (!mayUse(session, page.needs)) return <Navigate to={`/admin/${firstPath(session)}`} replace />;
  return <PageContext value={page}>{view}</PageContext>;
}
