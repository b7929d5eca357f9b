import { useState } from 'react';
import { useT } from '../i18n';
import { tellError } from '../shared/offline/tellError';

/** useAct does what a control is for, and says in passing why it failed; `busy` is whether it is still under way. */
export function useAct() {
  const t = useT();
  const [busy, setBusy] = useState(false);
  async function act(run: () => unknown) {
    setBusy(true);
    try {
      await run();
    } catch (error) {
      tellError(error, t);
    } finally {
      setBusy(false);
    }
  }
  return { busy, act: (run: () => unknown) => void act(run) };
}
