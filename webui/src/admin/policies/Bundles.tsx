import { useRef } from 'react';
import { fetchBundle, readBundle, type Rules } from '../../api/admin/operations';
import { useT } from '../../i18n';
import { saveBlob } from '../../shared/saveBlob';
import { Button } from '../../shared/ui';
import styles from '../ops/ops.module.css';
import { useAct } from '../useAct';

/** saveBundle offers a revision, or the rules in force, as a bundle of Open Policy Agent. */
export async function saveBundle(id: string, name: string): Promise<void> {
  saveBlob(await fetchBundle(id), `rules-${name}.tar.gz`);
}

interface BundlesProps {
  /** inForce names the rules in force. */
  inForce: string;
  /** fixed says that the rules are not changed here. */
  fixed: boolean;
  /** onImport is handed the files of a bundle. */
  onImport: (files: Rules) => void;
}

/** Bundles takes rules from other places, and hands out those in force. */
export function Bundles({ inForce, fixed, onImport }: BundlesProps) {
  const t = useT();
  const { act } = useAct();
  const input = useRef<HTMLInputElement>(null);

  return (
    <div className={styles.row}>
      {!fixed && (
        <>
          <input
            ref={input}
            type="file"
            hidden
            accept=".tar.gz,.tgz,.gz"
            aria-label={t('ops.policies.bundle.import')}
            onChange={(event) => {
              const file = event.target.files?.[0];
              event.target.value = '';
              if (file) act(async () => onImport(await readBundle(file)));
            }}
          />
          <Button onClick={() => input.current?.click()}>{t('ops.policies.bundle.import')}</Button>
        </>
      )}
      <Button onClick={() => act(() => saveBundle('in-force', inForce))}>
        {t('ops.policies.bundle.export')}
      </Button>
      <span className={styles.muted}>{t('ops.policies.bundle.hint')}</span>
    </div>
  );
}
