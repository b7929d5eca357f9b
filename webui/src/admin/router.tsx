import {
  Children,
  createContext,
  Fragment,
  isValidElement,
  useContext,
  useEffect,
  useMemo,
  type ComponentType,
  type ReactNode,
} from 'react';
import type {
  RouterLinkProps,
  RouterLocation,
  RouterMatch,
  RouterNavigateFunction,
  RouterNavigateProps,
  RouterProvider,
  RouterRouteProps,
  RouterRoutesProps,
  RouterTo,
} from 'react-admin';
import { Link as WouterLink } from 'wouter';
import { navigate as moveTo, useHistoryState, usePathname, useSearch } from 'wouter/use-browser-location';
import { config } from '../config';
import { leaveGuard } from '../shared/page';

/** A Level is what routes and parameters below it go by. */
interface Level {
  /** base is the path above these routes, without a slash at its end. */
  base: string;
  params: Record<string, string | undefined>;
  /** outlet is the page of the route inside this one. */
  outlet: ReactNode;
}

const LevelContext = createContext<Level>({ base: '', params: {}, outlet: null });

const withoutBase = (pathname: string) => pathname.slice(config.basePath.length) || '/';

/** useLocation is where the app is, without the path that it is served under. */
export function useLocation(): RouterLocation {
  const pathname = withoutBase(usePathname());
  const search = useSearch();
  const state: unknown = useHistoryState();
  const { hash } = location;
  return useMemo(() => ({ pathname, search, hash, state }), [pathname, search, hash, state]);
}

/** addressOf is a target as an address of the app; what does not begin with a slash goes on from here. */
function addressOf(to: RouterTo): string {
  const here = withoutBase(location.pathname);
  if (typeof to === 'string') {
    if (to.startsWith('/')) return to;
    if (to === '' || to.startsWith('?') || to.startsWith('#')) return here + to;
    const { pathname, search, hash } = new URL(to, `http://app${here.replace(/\/?$/, '/')}`);
    return pathname + search + hash;
  }
  const { pathname = here, search = '', hash = '' } = to;
  return pathname + search.replace(/^(?=[^?])/, '?') + hash;
}

/** navigate goes to another place of the app, after a yes where the page that is left has something unsaved. */
const navigate: RouterNavigateFunction = (to, options) => {
  if (typeof to === 'number') {
    history.go(to);
    return;
  }
  const target = addressOf(to);
  const go = () => moveTo(config.basePath + target, options);
  const leaves = new URL(target, 'http://app').pathname !== withoutBase(location.pathname);
  const asked = leaves ? leaveGuard.get()?.ask() : undefined;
  if (!asked) go();
  else void asked.then((sure) => sure && go());
};

export const useNavigate = () => navigate;

/** useParams are the parameters of the routes around. */
export const useParams = <T extends Record<string, string | undefined>>() =>
  useContext(LevelContext).params as T;

/** useSearchParams reads the query of the address, and writes another one. */
export function useSearchParams() {
  const { search } = useLocation();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const write = (next: Record<string, string>, options?: { replace?: boolean }) =>
    navigate({ search: new URLSearchParams(next).toString() }, options);
  return [params, write] as const;
}

/** Link is a link of the panel; a guarded page asks before it is followed (see useLeaveGuard). */
export const Link = ({ to, ...rest }: RouterLinkProps) => <WouterLink {...rest} href={addressOf(to)} />;

/** Navigate leads on as soon as it is drawn. */
export function Navigate({ to, replace, state }: RouterNavigateProps) {
  const target = addressOf(to);
  useEffect(() => {
    navigate(target, { ...(replace !== undefined && { replace }), state: state as unknown });
    // Another state is no other place.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [target, replace]);
  return null;
}

/**
 * matchPath compares a path with a pattern of names, ":parameters" and a "*" at its end, which takes what is left,
 * nothing too. Without `end` the path may go on.
 */
export function matchPath(
  pattern: string | { path: string; end?: boolean },
  pathname: string,
): RouterMatch | null {
  const { path, end = true } = typeof pattern === 'string' ? { path: pattern } : pattern;
  const open = path === '*' || path.endsWith('/*');
  const names: string[] = [];
  const body = path
    .replace(/\/?\*$/, '')
    .split('/')
    .filter(Boolean)
    .map((part) => {
      if (!part.startsWith(':')) return `/${part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`;
      names.push(part.slice(1));
      return '/([^/]+)';
    })
    .join('');
  const found = new RegExp(`^(${body})${open ? '(?:/(.*))?$' : end ? '/?$' : '(?=/|$)'}`, 'i').exec(pathname);
  if (!found) return null;
  const [matched, base = '', ...values] = found;
  const params = Object.fromEntries(names.map((name, at) => [name, decoded(values[at] ?? '')]));
  if (open) params['*'] = decoded(values[names.length] ?? '');
  return { params, pathname: matched || '/', pathnameBase: base || '/' };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Route says what stands at a path; Routes reads it. */
export const Route: ComponentType<RouterRouteProps> = () => null;

/** A Branch is a route with those around it, from the outside in. */
interface Branch {
  path: string;
  chain: { path: string; element: ReactNode }[];
}

const joined = (base: string, path: string) =>
  [base.replace(/\/?\*?$/, ''), path.replace(/^\//, '')].filter(Boolean).join('/') || '/';

function branchesOf(children: ReactNode, base: string, chain: Branch['chain'] = []): Branch[] {
  return Children.toArray(children).flatMap((child): Branch[] => {
    if (!isValidElement<RouterRouteProps>(child)) return [];
    if (child.type === Fragment) return branchesOf(child.props.children, base, chain);
    const { path = '', element, children: inside } = child.props;
    const full = joined(base, path);
    const own = [...chain, { path: full, element }];
    return inside ? branchesOf(inside, full, own) : [{ path: full, chain: own }];
  });
}

/** weightOf orders patterns as people expect it: names before parameters, parameters before what takes everything. */
const weightOf = (path: string) =>
  path
    .split('/')
    .filter(Boolean)
    .reduce((sum, part) => sum + (part === '*' ? -2 : part.startsWith(':') ? 3 : 10), 0);

/** Routes shows the route that fits the address best. */
export function Routes({ children, location: other }: RouterRoutesProps) {
  const { base, params } = useContext(LevelContext);
  const here = useLocation().pathname;
  const pathname = other === undefined ? here : typeof other === 'string' ? other : other.pathname;
  const branch = branchesOf(children, base)
    .filter(({ path }) => matchPath(path, pathname))
    .sort((one, two) => weightOf(two.path) - weightOf(one.path))[0];
  return (branch?.chain ?? []).reduceRight<ReactNode>((outlet, { path, element }, at, { length }) => {
    const match = matchPath({ path, end: at === length - 1 }, pathname);
    const level: Level = {
      base: (match?.pathnameBase ?? base).replace(/\/$/, ''),
      params: { ...params, ...match?.params },
      outlet,
    };
    return <LevelContext value={level}>{element ?? outlet}</LevelContext>;
  }, null);
}

const Outlet = () => useContext(LevelContext).outlet;

function RouterWrapper({ basename = '', children }: { basename?: string; children: ReactNode }) {
  const level = useMemo(() => ({ base: basename, params: {}, outlet: null }), [basename]);
  return <LevelContext value={level}>{children}</LevelContext>;
}

const unblocked = { state: 'unblocked', reset: undefined, proceed: undefined, location: undefined } as const;

/** wouterProvider gives react-admin the router of the whole app. Leaving is guarded by useLeaveGuard alone. */
export const wouterProvider: RouterProvider = {
  useLocation,
  useNavigate,
  useParams,
  useMatch: (pattern) => matchPath(pattern, useLocation().pathname),
  useBlocker: () => unblocked,
  useCanBlock: () => false,
  useInRouterContext: () => true,
  Link,
  Navigate,
  Route,
  Routes,
  Outlet,
  RouterWrapper,
  matchPath,
};
