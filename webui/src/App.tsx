import { Route, Router, Switch } from 'wouter';
import { config } from './config';
import { Layout } from './shell/Layout';
import { lazyView } from './shared/view/View';

// Each view with the message areas it needs. The server preloads the same ones, see embed.go.
const Home = lazyView(
  async () => {
    await arrival();
    return import('./public/home');
  },
  'home',
  'share',
);
const Upload = lazyView(() => import('./public/upload'), 'file', 'share');
const Paste = lazyView(() => import('./public/paste'), 'pasteView');
const File = lazyView(() => import('./public/file'), 'fileView', 'preview');
const Explorer = lazyView(() => import('./public/explorer'), 'explorer');
const Admin = lazyView(() => import('./admin'), 'login');
const NotFound = lazyView(() => import('./shell/NotFound'), 'notFound');

/** arrival fetches a text that another app or the system has opened this page with. */
const arrival = async () => {
  if (/[?&](shared|open)\b/.test(location.search))
    await import('./shared/offline/arrivals').then(({ takeText }) => takeText()).catch(() => undefined);
};

const views: Record<string, { prepare: () => Promise<void> } | undefined> = {
  '': Home,
  upload: Upload,
  paste: Paste,
  file: File,
  'mount-explorer': Explorer,
  admin: Admin,
};

/** prepareView fetches the page of an address before it is drawn; it never rejects. */
export async function prepareView(path: string): Promise<void> {
  await views[path.slice(config.basePath.length).split('/')[1] ?? '']?.prepare();
}

/** App holds the routes of §2. */
export function App() {
  return (
    <Router base={config.basePath}>
      <Layout>
        <Switch>
          <Route path="/">
            <Home />
          </Route>
          <Route path="/upload">
            <Upload />
          </Route>
          <Route path="/paste/:slug">{({ slug }) => <Paste key={slug} slug={slug} />}</Route>
          <Route path="/file/:slug">{({ slug }) => <File key={slug} slug={slug} />}</Route>
          <Route path="/mount-explorer/*?">
            <Explorer />
          </Route>
          <Route path="/admin/*?">
            <Admin />
          </Route>
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Layout>
    </Router>
  );
}
