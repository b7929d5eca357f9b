import { useEffect, useState } from 'react';
import { useT } from '../../i18n';
import { Markdown } from '../../shared/markdown/Markdown';
import { Button, Dialog } from '../../shared/ui';
import { dismissed, dismiss } from './announcements';
import styles from './home.module.css';

/** Milliseconds after the page until the announcement comes. */
const after = 500;

/** Texts that were closed since the page was loaded. */
const closed = new Set<string>();

/** Announcement shows the administrator's announcement in a dialog, once per content if the reader wants so. */
export default function Announcement({ text }: { text: string }) {
  const t = useT();
  const [open, setOpen] = useState('');
  const [never, setNever] = useState(false);

  useEffect(() => {
    let gone = false;
    const timer = setTimeout(() => {
      void dismissed(text).then((was) => {
        if (!gone && !was && !closed.has(text)) setOpen(text);
      });
    }, after);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [text]);

  if (open !== text) return null;
  function close() {
    closed.add(text);
    if (never) void dismiss(text);
    setOpen('');
  }
  return (
    <Dialog
      title={t('homeMore.announcement.title')}
      onClose={close}
      footer={
        <>
          <label className={styles.never}>
            <input type="checkbox" checked={never} onChange={(event) => setNever(event.target.checked)} />
            {t('homeMore.announcement.never')}
          </label>
          <Button variant="primary" data-autofocus onClick={close}>
            {t('homeMore.announcement.gotIt')}
          </Button>
        </>
      }
    >
      <Markdown text={text} ofSite />
    </Dialog>
  );
}
