import type { ComponentType } from 'react';
import { Route, Router, Switch } from 'wouter';
import { config } from './config';
import { Layout } from './shell/Layout';
import { lazyView } from './shell/View';

type Page<P> = () => Promise<{ default: ComponentType<P> }>;
// Each folder of public with an index.tsx is a page; a page that does not exist shows "not found".
const pages = import.meta.glob<{ default: ComponentType<never> }>('./public/*/index.tsx');
const page = <P,>(name: string) => pages[`./public/${name}/index.tsx`] as Page<P> | undefined;

const SignIn = lazyView(() => import('./shell/SignInPage'), 'login');
const NotFound = lazyView(() => import('./shell/NotFound'));
const optional = <P extends object>(name: string, ...areas: string[]) => {
  const load = page<P>(name);
  return load ? lazyView(load, ...areas) : NotFound;
};
const Home = optional<object>('home', 'home', 'share');
const Paste = optional<{ slug: string }>('paste', 'pasteView', 'shareGate');
const File = optional<{ slug: string }>('file', 'fileView', 'shareGate', 'preview');
const Upload = optional<object>('upload', 'file', 'share');

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
          <Route path="/admin/*?">
            <SignIn />
          </Route>
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Layout>
    </Router>
  );
}
