import { lazy, Suspense, type ReactNode } from 'react';
import { loadAreas } from '../../i18n';
import type { Closed } from './Notice';
import type { GateControl } from './useGate';

// Most visitors come to an open share; the others fetch what they meet.
const PasswordForm = lazy(async () => {
  const [module] = await Promise.all([import('./PasswordForm'), loadAreas('shareGate')]);
  return { default: module.PasswordForm };
});
const Notice = lazy(async () => {
  const [module] = await Promise.all([import('./Notice'), loadAreas('shareGate')]);
  return { default: module.Notice };
});

/** OfflineCopy is fetched by those who see one, see OfflineCopy.tsx. */
export const OfflineCopy = lazy(async () => {
  const [module] = await Promise.all([import('./OfflineCopy'), loadAreas('shareGate')]);
  return { default: module.OfflineCopy };
});

interface GateViewProps<T> {
  control: GateControl<T>;
  /** title of the page while it has no name yet. */
  title: string;
  /** loading keeps the layout of what will be shown. */
  loading: ReactNode;
  /** closed is what is said of a link that leads nowhere, where that is no share. */
  closed?: Closed;
  children: (share: T, password: string) => ReactNode;
}

/** GateView shows what stands between a visitor and a share, and the share once it is open. */
export function GateView<T>({ control, title, loading, closed, children }: GateViewProps<T>) {
  const { gate } = control;
  if (gate.state === 'loading') return loading;
  if (gate.state === 'open') return children(gate.share, gate.password);
  return (
    <Suspense fallback={loading}>
      {gate.state === 'password' ? (
        <PasswordForm
          isLastView={gate.isLastView}
          busy={gate.busy}
          error={gate.error}
          onSubmit={control.unlock}
        />
      ) : (
        <Notice gate={gate} title={title} closed={closed} onOpen={control.openLast} onRetry={control.retry} />
      )}
    </Suspense>
  );
}
