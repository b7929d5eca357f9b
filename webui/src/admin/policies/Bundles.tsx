import { useRef } from 'react';
import { fetchBundle, readBundle, type Rules } from '../../api/admin/operations';
import { errorText } from '../../api/errorText';
import { useT, type Translate } from '../../i18n';
import { saveBlob } from '../../shared/saveBlob';
import { Button, toast } from '../../shared/ui';
import styles from '../ops/ops.module.css';

/** saveBundle offers a revision, or the rules in force, as a bundle of Open Policy Agent. */
export async function saveBundle(id: string, name: string, t: Translate): Promise<void> {
  try {
    saveBlob(await fetchBundle(id), `rules-${name}.tar.gz`);
  } catch (error) {
    toast.error(errorText(error, t));
  }
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
  const input = useRef<HTMLInputElement>(null);

  async function take(file: File) {
    try {
      onImport(await readBundle(file));
    } catch (error) {
      toast.error(errorText(error, t));
    }
  }

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
              if (file) void take(file);
            }}
          />
          <Button onClick={() => input.current?.click()}>{t('ops.policies.bundle.import')}</Button>
        </>
      )}
      <Button onClick={() => void saveBundle('in-force', inForce, t)}>
        {t('ops.policies.bundle.export')}
      </Button>
      <span className={styles.muted}>{t('ops.policies.bundle.hint')}</span>
    </div>
  );
}
