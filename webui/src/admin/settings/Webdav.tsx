import { useState } from 'react';
import { useWatch, type FieldValues } from 'react-hook-form';
import { pageUrl } from '../../config';
import { useT } from '../../i18n';
import { CopyButton, TextField } from '../../shared/ui';
import { AskForm } from '../form/AskForm';
import { FieldInput, type Fields } from '../form/fields';
import formStyles from '../form/form.module.css';
import { pairClass, Section } from '../form/PanelForm';
import { choice, on, type SettingSection } from './fields';
import { selfTest, type Probe } from './selfTest';
import styles from './settings.module.css';
import { SettingsPage } from './SettingsPage';

const sections: readonly SettingSection[] = [
  {
    name: 'uploads',
    settings: {
      webdav_upload_mode: { ...choice('direct', 'multipart'), shown: <Mode /> },
      webdav_create_parents: on,
      webdav_ignore_system_files: on,
      webdav_no_redirect_agents: { kind: 'area', input: { rows: 2, optional: true } },
      basic_over_public_http: on,
    },
  },
];

/** WebdavSettings say how WebDAV stores files, and how people connect (§7.10, group 3). */
export default function WebdavSettings() {
  return (
    <SettingsPage
      group={3}
      sections={sections}
      below={
        <div className={styles.below}>
          <Access />
          <SelfTest />
        </div>
      }
    />
  );
}

function Mode() {
  const t = useT();
  const mode = useWatch({ name: 'webdav_upload_mode' }) === 'multipart' ? 'multipart' : 'direct';
  return <FieldInput source="webdav_upload_mode" hint={t(`admin.settings.webdav.modeHint.${mode}`)} />;
}

const address = () => pageUrl('/dav');

/** Access tells how clients connect. */
function Access() {
  const t = useT();
  const command = `rclone config create pasteport webdav url=${address()} vendor=other user=NAME pass=$(rclone obscure PASSWORD)`;
  return (
    <Section title={t('admin.settings.webdav.access')}>
      <TextField
        label={t('admin.settings.webdav.address')}
        value={address()}
        readOnly
        after={<CopyButton iconOnly text={address()} label={t('admin.settings.webdav.copyAddress')} />}
      />
      <ul className={styles.list}>
        <li>{t('admin.settings.webdav.admin')}</li>
        <li>{t('admin.settings.webdav.key')}</li>
      </ul>
      <h3>{t('admin.settings.webdav.clients')}</h3>
      <ul className={styles.list}>
        <li>{t('admin.settings.webdav.windows')}</li>
        <li>{t('admin.settings.webdav.macos')}</li>
        <li>{t('admin.settings.webdav.linux')}</li>
        <li>
          {t('admin.settings.webdav.rclone')}
          <div className={styles.command}>
            <code>{command}</code>
            <CopyButton iconOnly text={command} label={t('admin.settings.webdav.copyCommand')} />
          </div>
        </li>
        <li>{t('admin.settings.webdav.phone')}</li>
      </ul>
    </Section>
  );
}

/** SelfTest tries the own address from this browser, through whatever stands in front of the server. */
function SelfTest() {
  const t = useT();
  const [probes, setProbes] = useState<Probe[]>([]);
  const text = (label: string, initial = ''): Fields<never>[string] => ({
    kind: 'text',
    label: t(label),
    initial,
  });
  const fields: Fields<never> = {
    name: text('admin.settings.webdav.name'),
    password: { kind: 'secret', label: t('admin.settings.webdav.password') },
    folder: text('admin.settings.webdav.folder', '/local'),
  };

  async function run({ name, password, folder: typed }: FieldValues) {
    const folder = String(typed).trim().replace(/\/+$/, '').replace(/^\/*/, '/');
    setProbes([]);
    await selfTest(
      {
        url: address() + folder.split('/').map(encodeURIComponent).join('/'),
        name: String(name).trim(),
        password: String(password),
      },
      (probe) => setProbes((before) => [...before, probe]),
    );
  }

  const said = ({ method, status, ok }: Probe) =>
    ok
      ? t('admin.settings.webdav.works', { method })
      : status === 0
        ? t('admin.settings.webdav.lost', { method })
        : t('admin.settings.webdav.refused', { method, status });
  return (
    <Section title={t('admin.settings.webdav.selfTest')}>
      <p className={formStyles.hint}>{t('admin.settings.webdav.selfTestHint')}</p>
      <AskForm fields={fields} ask={run} label={t('admin.settings.webdav.run')}>
        <div className={pairClass}>
          <FieldInput source="name" autoComplete="off" />
          <FieldInput source="password" />
        </div>
        <FieldInput source="folder" />
      </AskForm>
      <div role="status">
        <ul className={styles.results}>
          {probes.map((probe) => (
            <li key={probe.method}>
              <span data-ok={probe.ok}>{said(probe)}</span>
              {probe.advice && ` ${t(`admin.settings.webdav.advice.${probe.advice}`)}`}
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}
