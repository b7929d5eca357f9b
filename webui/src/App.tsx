import type { ComponentType } from 'react';
import { Route, Router, Switch } from 'wouter';
import { config } from './config';
import { pageAt, pages } from './pages';
import { Layout } from './shell/Layout';
import { aroundNav } from './shared/page';
import { lazyView } from './shared/view/View';

interface ViewModule {
  default: ComponentType<{ slug: string }>;
  prepare?: () => Promise<void>;
}

const modules = import.meta.glob<ViewModule>([
  './public/*/index.tsx',
  './admin/index.tsx',
  './shell/NotFound.tsx',
]);

/** arrival fetches a text that another app or the system has opened Home with. */
const arrival = async () => {
  if (/[?&](shared|open)\b/.test(location.search))
    await import('./shared/offline/arrivals').then(({ takeText }) => takeText()).catch(() => undefined);
};

const views = Object.values(pages).map((page) => {
  const load = async () => {
    if (page === pages.home) await arrival();
    const module = modules[`./${page.chunk}`];
    if (!module) throw new Error(`no such view: ${page.chunk}`);
    return module();
  };
  return { page, View: lazyView(load, ...page.areas) };
});

/** prepareView fetches the page of an address before it is drawn; it never rejects. */
export async function prepareView(path: string): Promise<void> {
  const page = pageAt(path.slice(config.basePath.length));
  await views.find((view) => view.page === page)?.View.prepare();
}

/** App holds the routes of §2, see pages.json. */
export function App() {
  return (
    <Router base={config.basePath} aroundNav={aroundNav}>
      <Layout>
        <Switch>
          {views.map(({ page: { path }, View }) => (
            <Route key={path} path={path}>
              {({ slug = '' }: { slug?: string }) => <View key={slug} slug={slug} />}
            </Route>
          ))}
        </Switch>
      </Layout>
    </Router>
  );
}
