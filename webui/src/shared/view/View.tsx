import { Component, Suspense, useEffect, type ComponentType, type ReactNode } from 'react';
import { useT, type Translate } from '../../i18n';
import { config } from '../../config';
import { pageAt } from '../../pages';
import { lazyPart } from '../lazyPart';
import { Button, buttonClass, Skeleton, toast } from '../ui';
import { hasUnsaved } from '../unsaved';
import styles from './View.module.css';

/** lazyView is a part that is a page: with a placeholder while it is on its way, and a way on where it fails. */
export function lazyView<P extends object>(
  load: () => Promise<{ default: ComponentType<P>; prepare?: () => Promise<void> }>,
  ...areas: string[]
): ((props: P) => ReactNode) & { prepare: () => Promise<void> } {
  const Page = lazyPart(load, ...areas);
  const View = (props: P) => (
    <Boundary onRetry={Page.renew}>
      <Suspense fallback={<Skeleton lines={6} />}>
        <Page {...props} />
      </Suspense>
    </Boundary>
  );
  return Object.assign(View, { prepare: Page.prepare });
}

interface BoundaryProps {
  /** onRetry prepares a new attempt before the children are rendered again. */
  onRetry: () => void;
  children: ReactNode;
}

interface BoundaryState {
  error: unknown;
  failed: boolean;
}

/** Boundary keeps a page that fails to load or to render from taking the frame with it. */
class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: undefined, failed: false };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error, failed: true };
  }

  retry = () => {
    this.props.onRetry();
    this.setState({ error: undefined, failed: false });
  };

  override render() {
    return this.state.failed ? <Failed error={this.state.error} onRetry={this.retry} /> : this.props.children;
  }
}

// What browsers say when a script of a page cannot be fetched, most often because of a new version.
const loading = /dynamically imported module|module script|Failed to fetch|Load failed|preload/i;

function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = useT();
  const notLoaded = error instanceof Error && loading.test(error.message);
  const key = !notLoaded ? 'crash' : navigator.onLine ? 'lazy' : 'offline';
  const title = { crash: 'app.crash.title', lazy: 'app.lazy.title', offline: 'app.lazy.offlineTitle' }[key];
  const body = { crash: 'app.crash.body', lazy: 'app.lazy.body', offline: 'app.lazy.offlineBody' }[key];
  useEffect(() => {
    if (key === 'lazy' && !reloadOnce() && triesLeft-- > 0) {
      const timer = setTimeout(onRetry, tryAgainAfter);
      return () => clearTimeout(timer);
    }
    if (key !== 'offline') return;
    toast.warning(t('app.lazy.offlineToast', { page: pageName(t) }));
    addEventListener('online', onRetry);
    return () => removeEventListener('online', onRetry);
  }, [key, onRetry, t]);
  return (
    <section className={styles.failed} role="alert">
      <h1>{t(title)}</h1>
      <p>{t(body)}</p>
      <div className={styles.actions}>
        <Button variant="primary" onClick={onRetry}>
          {t('common.retry')}
        </Button>
        <Button onClick={() => history.back()}>{t('app.lazy.back')}</Button>
        <a className={buttonClass()} href={`${config.basePath}/`}>
          {t('app.nav.home')}
        </a>
      </div>
    </section>
  );
}

/** pageName is the page's link in the header where it has one, else its address. */
function pageName(t: Translate): string {
  const path = location.pathname.slice(config.basePath.length);
  const { link } = pageAt(path);
  return link ? t(link) : path;
}

const reloadedKey = 'pp.reloadedAt';

// A network that is back often takes a moment until it carries anything.
const tryAgainAfter = 3000;
let triesLeft = 3;

/** reloadOnce gets the page of a newer version, whose scripts have other names; not twice in a minute. */
function reloadOnce(): boolean {
  try {
    if (hasUnsaved() || Date.now() - Number(sessionStorage.getItem(reloadedKey)) < 60_000) return false;
    sessionStorage.setItem(reloadedKey, String(Date.now()));
  } catch {
    return false; // Without a store nothing would end the reloading.
  }
  location.reload();
  return true;
}
