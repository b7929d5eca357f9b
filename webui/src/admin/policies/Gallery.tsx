import { useState, type FormEvent } from 'react';
import type { Rules } from '../../api/admin/operations';
import { useLanguage, useT } from '../../i18n';
import { Button, TextField } from '../../shared/ui';
import { FormProblems } from '../../shared/ui/FormProblems';
import { Code } from '../ops/Code';
import styles from '../ops/ops.module.css';
import {
  filledIn,
  isWrong,
  readyRules,
  rulesOf,
  saidWith,
  type Blank,
  type Filled,
  type ReadyRule,
} from './gallery';

interface GalleryProps {
  /** files are the rules as they are written now. */
  files: Rules;
  /** fixed rules come from a folder and are not changed here. */
  fixed: boolean;
  onAdd: (files: Rules) => void;
}

/** Gallery lists rules in words; one fills in the blanks, sees the Rego they make, and adds that to what is written. */
export function Gallery({ files, fixed, onAdd }: GalleryProps) {
  const t = useT();
  const language = useLanguage();
  const said = (rule: ReadyRule) =>
    t(`ops.policies.gallery.rule.${rule}`, saidWith(filledIn(rule, files), language));
  const [open, setOpen] = useState<ReadyRule>();
  return (
    <>
      <p className={styles.muted}>{t('ops.policies.gallery.intro')}</p>
      <ul className={styles.cards}>
        {(Object.keys(readyRules) as ReadyRule[]).map((rule) => (
          <li key={rule} className={styles.panel}>
            <div className={styles.between}>
              <span>{said(rule)}</span>
              <Button
                aria-expanded={open === rule}
                onClick={() => setOpen(open === rule ? undefined : rule)}
                aria-label={t('ops.policies.gallery.fillIn', {
                  rule: said(rule),
                })}
              >
                {t(`${rule}.rego` in files ? 'ops.policies.gallery.change' : 'ops.policies.gallery.choose')}
              </Button>
            </div>
            {open === rule && <FillIn rule={rule} files={files} fixed={fixed} onAdd={onAdd} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function FillIn({ rule, files, fixed, onAdd }: GalleryProps & { rule: ReadyRule }) {
  const t = useT();
  const blanks: readonly Blank[] = readyRules[rule];
  const [filled, setFilled] = useState<Filled>(() => filledIn(rule, files));
  const [shown, setShown] = useState(false);
  const [asked, setAsked] = useState(0);
  const good = !blanks.some((blank) => isWrong(blank, filled[blank.label]));

  function add(event: FormEvent) {
    event.preventDefault();
    setShown(true);
    if (good) onAdd(rulesOf(rule, filled));
    else setAsked((before) => before + 1);
  }

  return (
    <form className={styles.part} onSubmit={add} noValidate>
      <FormProblems asked={asked} />
      {blanks.map((blank) => (
        <TextField
          key={blank.label}
          label={t(`ops.policies.gallery.${blank.label}`)}
          hint={blank.kind === 'words' ? t('ops.policies.gallery.list') : undefined}
          value={filled[blank.label] ?? ''}
          spellCheck={false}
          autoCapitalize="off"
          {...(blank.kind === 'number' && { inputMode: 'numeric' as const })}
          {...(blank.kind === 'time' && { type: 'time' })}
          error={
            shown && isWrong(blank, filled[blank.label])
              ? t(`ops.policies.gallery.wrong.${blank.kind}`)
              : undefined
          }
          onChange={(event) => setFilled({ ...filled, [blank.label]: event.target.value })}
        />
      ))}
      {!fixed && (
        <div className={styles.actions}>
          <Button type="submit" variant="primary">
            {t('ops.policies.gallery.add')}
          </Button>
        </div>
      )}
      {good && <Code label={t('ops.policies.gallery.rego')}>{rulesOf(rule, filled)[`${rule}.rego`]}</Code>}
    </form>
  );
}
