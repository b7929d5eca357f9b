import { lazy, Suspense, useId } from 'react';
import { useT } from '../../i18n';
import { Skeleton } from '../../shared/ui';
import styles from '../ops/ops.module.css';
import type { RegoEditorProps } from './RegoEditor';
import regoStyles from './rego.module.css';

const RegoEditor = lazy(() => import('./RegoEditor'));

/** RulesText is a file of rules in an editor, which comes when it is first needed. */
export function RulesText(editor: Omit<RegoEditorProps, 'hint'>) {
  const t = useT();
  const id = useId();
  return (
    <div className={styles.part}>
      <span className={regoStyles.title} aria-hidden="true">
        {editor.label}
      </span>
      <Suspense
        fallback={
          <div className={regoStyles.host}>
            <Skeleton lines={8} />
          </div>
        }
      >
        <RegoEditor key={editor.file} hint={id} {...editor} />
      </Suspense>
      <p id={id} className={styles.muted}>
        {editor.readOnly ? t('ops.policies.readOnlyHint') : t('ops.policies.editorHint')}
      </p>
    </div>
  );
}
