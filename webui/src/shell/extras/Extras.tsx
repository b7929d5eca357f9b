import { lazy, Suspense } from 'react';
import { useSearch } from 'wouter';
import { useSession } from '../../auth/session';
import { showKeys, useKeysShown } from './keys';

const KeysDialog = lazy(() => import('./KeysDialog'));
const EnvSwitcher = lazy(() => import('./EnvSwitcher'));

/** Extras stands beside the pages: the list of keys, and for administrators who ask for it the choice of a back end. */
export function Extras() {
  const keys = useKeysShown();
  const asked = new URLSearchParams(useSearch()).has('showEnvSwitcher');
  // A restored token counts once the server has said that it is good.
  const { kind, checking } = useSession();
  const admin = kind === 'admin' && !checking;
  return (
    <Suspense fallback={null}>
      {keys && <KeysDialog onClose={() => showKeys(false)} />}
      {(import.meta.env.DEV || (asked && admin)) && <EnvSwitcher />}
    </Suspense>
  );
}
