import { useState } from 'react';
import { useT, type Translate } from '../../i18n';
import { confirm } from '../../shared/ui';
import { Toggle } from '../form/inputs';
import { questionOf } from '../useAct';

/** askRestore asks whether a backup is restored, and whether the server starts again for it at once; undefined is no. */
export async function askRestore(t: Translate): Promise<{ now: boolean } | undefined> {
  const choice = { now: true };
  const body = <Question onChange={(now) => (choice.now = now)} />;
  const agreed = await confirm(questionOf(t, 'ops.backup.restore', { body, danger: true }));
  return agreed ? choice : undefined;
}

function Question({ onChange }: { onChange: (now: boolean) => void }) {
  const t = useT();
  const [now, setNow] = useState(true);
  const turn = (next: boolean) => {
    setNow(next);
    onChange(next);
  };
  return (
    <>
      <p>{t('ops.backup.restoreBody')}</p>
      <Toggle
        label={t('ops.backup.restartNow')}
        hint={t(now ? 'ops.backup.restartHint' : 'ops.backup.restartLater')}
        on={now}
        onChange={turn}
      />
    </>
  );
}
