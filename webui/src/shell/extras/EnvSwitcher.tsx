import { Server } from 'lucide-react';
import { useId, useState, type FormEvent } from 'react';
import { config } from '../../config';
import { useT } from '../../i18n';
import { Button, TextField } from '../../shared/ui';
import { cleanBase, isForeign, keepBase, presets, tryBase } from './backends';
import styles from './extras.module.css';

const custom = 'custom';

/** EnvSwitcher chooses which back end this device speaks to. A back end that does not answer is not taken. */
export default function EnvSwitcher() {
  const t = useT();
  const name = useId();
  const [chosen, setChosen] = useState(config.apiBase);
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const offered = [...new Set([...presets(), config.apiBase])];
  const own = chosen === custom;

  async function take(event: FormEvent) {
    event.preventDefault();
    const base = own ? cleanBase(typed) : chosen;
    if (base === undefined) {
      setProblem(t('shortcuts.backend.wrong'));
      return;
    }
    setBusy(true);
    setProblem('');
    const found = base === config.ownApiBase ? 'good' : await tryBase(base);
    if (found !== 'good') {
      setProblem(t(`shortcuts.backend.${found}`, { base }));
      setBusy(false);
      return;
    }
    // A credential of this server is nothing for another one.
    const other =
      isForeign(base) !== isForeign(config.apiBase) || (isForeign(base) && base !== config.apiBase);
    if (other && !(await import('../../shared/leave').then(({ leave }) => leave(t)))) {
      setBusy(false);
      return;
    }
    keepBase(base);
    location.reload();
  }

  return (
    <aside className={styles.switcher} aria-label={t('shortcuts.backend.title')}>
      <details open={!import.meta.env.DEV}>
        <summary>
          <Server size={18} />
          {t('shortcuts.backend.title')}
        </summary>
        <form onSubmit={(event) => void take(event)} noValidate>
          <p className={styles.inUse}>
            {t('shortcuts.backend.inUse')} <code>{config.apiBase}</code>
          </p>
          <fieldset>
            <legend className="visually-hidden">{t('shortcuts.backend.choose')}</legend>
            {[...offered, custom].map((base) => (
              <label key={base} className={styles.choice}>
                <input
                  type="radio"
                  name={name}
                  checked={chosen === base}
                  onChange={() => {
                    setChosen(base);
                    setProblem('');
                  }}
                />
                {base === custom ? t('shortcuts.backend.custom') : <code>{base}</code>}
                {base === config.ownApiBase && (
                  <span className={styles.note}>{t('shortcuts.backend.own')}</span>
                )}
              </label>
            ))}
          </fieldset>
          {own && (
            <TextField
              label={t('shortcuts.backend.address')}
              value={typed}
              inputMode="url"
              autoComplete="off"
              spellCheck={false}
              placeholder="/api"
              error={problem || undefined}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
          <p className={styles.problem} role="alert">
            {own ? '' : problem}
          </p>
          <Button type="submit" variant="primary" busy={busy}>
            {t('shortcuts.backend.use')}
          </Button>
        </form>
      </details>
    </aside>
  );
}
