import { useId } from 'react';
import { useT } from '../../i18n';
import styles from '../ops/ops.module.css';
import { RegoEditor, type RegoEditorProps } from './RegoEditor';
import regoStyles from './rego.module.css';

/** RulesText is a file of rules in an editor. */
export function RulesText(editor: Omit<RegoEditorProps, 'hint'>) {
  const t = useT();
  const id = useId();
  return (
    <div className={styles.part}>
      <span className={regoStyles.title} aria-hidden="true">
        {editor.label}
      </span>
      <RegoEditor key={editor.file} hint={id} {...editor} />
      <p id={id} className={styles.muted}>
        {editor.readOnly ? t('ops.policies.readOnlyHint') : t('ops.policies.editorHint')}
      </p>
    </div>
  );
}
