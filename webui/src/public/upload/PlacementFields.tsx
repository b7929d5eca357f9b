import { useT } from '../../i18n';
import { Segmented, SelectField, TextField } from '../../shared/ui';
import styles from './upload.module.css';
import type { Placement } from './usePlacement';

interface PlacementFieldsProps {
  placement: Placement;
}

/** PlacementFields choose storage, folder and access of an upload. */
export function PlacementFields({ placement }: PlacementFieldsProps) {
  const t = useT();
  return (
    <div className={styles.fields}>
      <SelectField
        label={t('file.form.storage')}
        value={placement.config}
        choices={placement.configs.map((choice) => ({
          value: choice.id,
          label:
            choice.name === choice.provider_type
              ? choice.name
              : t('file.form.storageChoice', { name: choice.name, provider: choice.provider_type }),
        }))}
        onChange={(event) => placement.setConfig(event.target.value)}
      />
      <TextField
        label={t('file.form.path')}
        hint={t('file.form.pathHint')}
        optional
        value={placement.path}
        autoCapitalize="none"
        spellCheck={false}
        error={placement.problem ? t('file.form.pathWrong') : undefined}
        onChange={(event) => placement.setPath(event.target.value)}
      />
      <div className={styles.access}>
        <span className={styles.accessLabel} aria-hidden="true">
          {t('file.form.access')}
        </span>
        <Segmented
          label={t('file.form.access')}
          value={placement.useProxy ? 'proxy' : 'direct'}
          onChange={(value) => placement.setUseProxy(value === 'proxy')}
          choices={[
            { value: 'proxy', label: t('file.form.proxy') },
            { value: 'direct', label: t('file.form.direct') },
          ]}
        />
        <p className={styles.hint}>{t('file.form.accessHint')}</p>
      </div>
    </div>
  );
}
