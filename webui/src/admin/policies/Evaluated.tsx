import { useState } from 'react';
import type { Coverage, Rules } from '../../api/admin/operations';
import { useT } from '../../i18n';
import { SelectField } from '../../shared/ui';
import styles from '../ops/ops.module.css';
import { RulesText } from './RulesText';

interface EvaluatedProps {
  /** files are the rules that were asked. */
  files: Rules;
  lines: readonly Coverage[];
}

/** Evaluated shows in the text of the rules which lines one question has led through. */
export function Evaluated({ files, lines }: EvaluatedProps) {
  const t = useT();
  const names = Object.keys(files)
    .filter((name) => name.endsWith('.rego') && !name.endsWith('_test.rego'))
    .sort();
  const [chosen, setChosen] = useState('');
  const reached = names.find((name) => lines.some((one) => one.file === name && one.covered.length > 0));
  const file = names.includes(chosen) ? chosen : (reached ?? names[0]);
  if (file === undefined) return null;
  const coverage = lines.find((one) => one.file === file);
  return (
    <section className={styles.part} aria-label={t('ops.policies.evaluatedLines')}>
      <h2>{t('ops.policies.evaluatedLines')}</h2>
      {names.length > 1 && (
        <div className={styles.row}>
          <SelectField
            label={t('ops.policies.file')}
            value={file}
            onChange={(event) => setChosen(event.target.value)}
            choices={names.map((name) => ({ value: name, label: name }))}
          />
        </div>
      )}
      <p className={styles.muted}>
        {coverage && coverage.covered.length > 0
          ? t('ops.policies.evaluatedIn', {
              lines: coverage.covered
                .map(([from, to]) => (to > from ? `${from}–${to}` : `${from}`))
                .join(', '),
            })
          : t('ops.policies.evaluatedNone')}
      </p>
      <RulesText
        file={file}
        label={t('ops.policies.text', { name: file })}
        files={files}
        readOnly
        value={files[file] ?? ''}
        coverage={coverage}
      />
    </section>
  );
}
