import { Download } from 'lucide-react';
import { useId } from 'react';
import { useT } from '../../i18n';
import { saveBlob } from '../../shared/saveBlob';
import { Button, CopyButton, Dialog, SelectField } from '../../shared/ui';
import formStyles from '../form/form.module.css';
import { useNavigate } from '../router';
import share from '../share/share.module.css';
import styles from './keys.module.css';
import { programIds, programs, serverAddress, type ProgramId } from './programs';

/** ConnectDialog asks which program a new key is for, and opens its form with what that program needs. */
export function ConnectDialog({ form, onClose }: { form: string; onClose: () => void }) {
  const t = useT();
  const navigate = useNavigate();
  return (
    <Dialog title={t('admin.keys.connect.title')} onClose={onClose}>
      <p>{t('admin.keys.connect.body')}</p>
      <ul className={styles.programs}>
        {programIds.map((id) => (
          <li key={id}>
            <button type="button" onClick={() => void navigate(`${form}/create`, { state: { program: id } })}>
              <strong>{programs[id].name}</strong>
              <span>{t(`admin.keys.connect.what.${id}`)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** ConnectSettings shows what a program is given to use a key, which is known only now. */
export function ConnectSettings({
  value,
  program,
  onChoose,
}: {
  value: string;
  program: ProgramId | undefined;
  onChoose: (program: ProgramId | undefined) => void;
}) {
  const t = useT();
  const id = useId();
  const settings = program && programs[program].settings(value, serverAddress());
  return (
    <div className={share.stack}>
      <SelectField
        label={t('admin.keys.connect.choose')}
        value={program ?? ''}
        choices={[
          { value: '', label: t('admin.keys.connect.none') },
          ...programIds.map((name) => ({ value: name, label: programs[name].name })),
        ]}
        onChange={(event) => onChoose((event.target.value || undefined) as ProgramId | undefined)}
      />
      {program && settings && (
        <>
          <p className={formStyles.hint} id={id}>
            {t(`admin.keys.connect.how.${program}`, { file: settings.file })}
          </p>
          <pre className={styles.settings} tabIndex={0} aria-describedby={id}>
            <code>{settings.text}</code>
          </pre>
          <div className={styles.buttons}>
            <CopyButton text={settings.text} label={t('admin.keys.connect.copy')} />
            <Button
              icon={<Download size={18} />}
              onClick={() =>
                saveBlob(new Blob([settings.text], { type: 'application/octet-stream' }), settings.file)
              }
            >
              {t('admin.keys.connect.save', { file: settings.file })}
            </Button>
          </div>
        </>
      )}
    </div>
  );
}
