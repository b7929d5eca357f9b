import { useState } from 'react';
import { useT } from '../../i18n';
import { useStore } from '../../store';
import { saveTelling, unheard } from './saveTelling';
import styles from './ShareLink.module.css';

/** Telling is whether its owner is told when a share is opened. */
export interface Telling {
  /** id of the text, file or collection. */
  id: string;
  /** now is how it stands; undefined while nobody knows. */
  now: boolean | undefined;
  /** saving says that it is being saved by whoever has made the share. */
  saving?: boolean | undefined;
  onChange?: (now: boolean) => void;
}

/** TellMe has the owner of a share told when it is opened. */
export function TellMe({ id, now, saving = false, onChange }: Telling) {
  const t = useT();
  const [asked, setAsked] = useState<boolean>();
  const [busy, setBusy] = useState(false);
  const nowhere = useStore(unheard) === id;
  const tells = asked ?? now ?? false;

  async function save(tell: boolean) {
    setAsked(tell);
    setBusy(true);
    const told = await saveTelling(id, tell, t);
    setAsked(told);
    setBusy(false);
    onChange?.(told);
  }

  return (
    <>
      <label className={styles.tell}>
        <input
          type="checkbox"
          checked={tells}
          disabled={now === undefined || busy || saving}
          onChange={(event) => void save(event.target.checked)}
        />
        {t('shareBox.tell')}
      </label>
      <p role="status" className={styles.nowhere}>
        {tells && nowhere && t('shareBox.tellNowhere')}
      </p>
    </>
  );
}
