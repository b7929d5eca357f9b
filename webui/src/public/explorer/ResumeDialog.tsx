import { useState } from 'react';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Button, CopyButton, Dialog, TimeIn } from '../../shared/ui';
import type { Resumable } from '../../shared/uploader/mount';
import styles from './explorer.module.css';

/** ResumeAnswer is the ID of an upload to go on with, or what to do instead. */
export type ResumeAnswer = string | 'anew' | 'cancel';

/** Uploads that are offered. */
const most = 5;

interface ResumeDialogProps {
  name: string;
  found: readonly Resumable[];
  onAnswer: (answer: ResumeAnswer) => void;
}

/** ResumeDialog asks whether a file goes on with an upload that was begun before; only proven ones are recommended. */
export function ResumeDialog({ name, found, onAnswer }: ResumeDialogProps) {
  const t = useT();
  const language = useLanguage();
  const offered = found.slice(0, most);
  const best = offered[0]?.proven ? offered[0].uploadId : '';
  const [chosen, setChosen] = useState(best);
  return (
    <Dialog
      wide="medium"
      title={t('explorerDialogs.resume.title', { name })}
      onClose={() => onAnswer('cancel')}
      footer={
        <>
          <Button variant="quiet" onClick={() => onAnswer('cancel')}>
            {t('common.cancel')}
          </Button>
          <Button {...(!best && { 'data-autofocus': '' })} onClick={() => onAnswer('anew')}>
            {t('explorerDialogs.resume.anew')}
          </Button>
          <Button
            variant="primary"
            disabled={!chosen}
            {...(best && { 'data-autofocus': '' })}
            onClick={() => onAnswer(chosen)}
          >
            {t('explorerDialogs.resume.go')}
          </Button>
        </>
      }
    >
      <fieldset className={styles.form}>
        <legend className={styles.hint}>{t('explorerDialogs.resume.body')}</legend>
        <ul className={styles.uploads}>
          {offered.map((one) => (
            <li key={one.uploadId} className={styles.upload}>
              <label className={styles.resumable}>
                <input
                  type="radio"
                  name="pp-resume"
                  checked={chosen === one.uploadId}
                  disabled={!one.proven}
                  onChange={() => setChosen(one.uploadId)}
                />
                <span className={styles.uploadBody}>
                  <span>
                    {t('explorerDialogs.resume.parts', { parts: one.parts, count: one.partCount })}
                    {' · '}
                    {formatSize(one.bytes, language)}
                    {one.uploadId === best && <strong> · {t('explorerDialogs.resume.best')}</strong>}
                  </span>
                  <span className={styles.facts}>
                    <TimeIn sentence="explorerDialogs.resume.started" value={one.started} />
                    {` · ${one.uploadId.slice(0, 8)}`}
                  </span>
                  {!one.proven && <span className={styles.warn}>{t('explorerDialogs.resume.unproven')}</span>}
                </span>
              </label>
              <CopyButton iconOnly text={one.uploadId} label={t('explorerDialogs.resume.copy')} />
            </li>
          ))}
        </ul>
      </fieldset>
    </Dialog>
  );
}
