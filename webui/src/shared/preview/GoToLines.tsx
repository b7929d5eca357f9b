import { useState, type FormEvent } from 'react';
import { useT } from '../../i18n';
import { Button, TextField } from '../ui';
import { parseLines, type LineRange } from './lines';
import styles from './text.module.css';

/** GoToLines selects lines by their numbers, for those who do not use a pointer. */
export function GoToLines({ onSelect }: { onSelect: (range: LineRange) => void }) {
  const t = useT();
  const [wrong, setWrong] = useState(false);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const range = parseLines(String(new FormData(event.currentTarget).get('lines') ?? ''));
    setWrong(!range);
    if (range) onSelect(range);
  }

  return (
    <form className={styles.goTo} onSubmit={submit} noValidate>
      <TextField
        name="lines"
        label={t('preview.code.goTo')}
        title={t('preview.code.goTo')}
        placeholder="10-20"
        inputMode="numeric"
        autoComplete="off"
        enterKeyHint="go"
        error={wrong ? t('preview.code.goToWrong') : undefined}
        after={<Button type="submit">{t('preview.code.go')}</Button>}
      />
    </form>
  );
}
