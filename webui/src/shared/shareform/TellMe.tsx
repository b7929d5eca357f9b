import { useEffect, useEffectEvent, useState } from 'react';
import { useT } from '../../i18n';
import { toast } from '../ui';
import styles from './ShareLink.module.css';

/** Telling is whether its owner is told when a share is opened. */
export interface Telling {
  /** id of the text, file or collection. */
  id: string;
  /** now is how it stands; undefined while nobody knows. */
  now: boolean | undefined;
  /** wanted has it turned on at once, as was chosen before the share was made. */
  wanted?: boolean;
  onChange?: (now: boolean) => void;
}

/** TellMe has the owner of a share told when it is opened. */
export function TellMe({ id, now, wanted = false, onChange }: Telling) {
  const t = useT();
  const [asked, setAsked] = useState<boolean | undefined>(wanted || undefined);
  const [busy, setBusy] = useState(wanted);

  const start = useEffectEvent(() => save(true));
  useEffect(() => {
    if (wanted) void start();
  }, [wanted]);

  async function save(tell: boolean) {
    try {
      const { tellMe, ownChannels } = await import('../../api/notifications');
      await tellMe(id, tell);
      onChange?.(tell);
      const heard =
        tell && (await ownChannels()).some(({ active, kinds }) => active && kinds.includes('share.opened'));
      if (tell && !heard) toast.info(t('shareBox.tellNowhere'));
    } catch (error) {
      setAsked(!tell);
      const { tellError } = await import('../offline/tellError');
      tellError(error, t);
    } finally {
      setBusy(false);
    }
  }

  return (
    <label className={styles.tell}>
      <input
        type="checkbox"
        checked={asked ?? now ?? false}
        disabled={now === undefined || busy}
        onChange={(event) => {
          setAsked(event.target.checked);
          setBusy(true);
          void save(event.target.checked);
        }}
      />
      {t('shareBox.tell')}
    </label>
  );
}
