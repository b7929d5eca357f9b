import { FolderTree } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { useInput } from 'react-admin';
import { useFormState, useWatch } from 'react-hook-form';
import type { Key } from '../../api/admin/keys';
import { useT } from '../../i18n';
import { Button, TextField } from '../../shared/ui';
import { tabPanel, Tabs } from '../../shared/ui/Tabs';
import formStyles from '../form/form.module.css';
import { Section } from '../form/PanelForm';
import { Uploads } from '../share/Uploads';
import { pathBits } from './bits';
import { KeyInputs } from './KeyInputs';
import { KeyUse } from './KeyUse';
import { May } from './May';
import { PathTree } from './PathTree';

/** KeyTabs are the two halves of the form: the key itself, and its folder where a permission has to do with folders. */
export function KeyTabs({ stored }: { stored: Key | undefined }) {
  const t = useT();
  const id = useId();
  const { field } = useInput({ source: 'basic_path' });
  const bits: unknown = useWatch({ name: 'permissions' });
  const matters = (Number(bits) & pathBits) !== 0;
  const { submitCount } = useFormState();
  const [tab, setTab] = useState<'basic' | 'path'>('basic');
  const [sent, setSent] = useState(submitCount);
  // What is wrong with a form that was sent stands in the first half.
  if (sent !== submitCount) {
    setSent(submitCount);
    setTab('basic');
  }
  // A folder is chosen in the tree first and taken over when it is confirmed.
  const [chosen, setChosen] = useState<string>();
  const picker = useRef<HTMLDivElement>(null);

  function finish(path?: string) {
    if (path !== undefined) field.onChange(path);
    setChosen(undefined);
    setTab('basic');
    // The button is shown again only after this.
    requestAnimationFrame(() => picker.current?.querySelector('button')?.focus());
  }

  const path = String(field.value);
  return (
    <>
      <Tabs
        id={id}
        label={t('admin.keys.tabs')}
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'basic', label: t('admin.keys.basic') },
          { value: 'path', label: t('admin.keys.pathTab'), off: !matters },
        ]}
      />
      <div {...tabPanel(id, 'basic', tab)} className={formStyles.tab}>
        <KeyInputs isNew={!stored} />
        <Section title={t('admin.keys.path')}>
          <div ref={picker}>
            <TextField
              label={t('admin.keys.path')}
              value={path}
              readOnly
              hint={
                matters && chosen !== undefined && chosen !== path
                  ? t('admin.keys.unconfirmed', { path: chosen })
                  : t(matters ? 'admin.keys.pathHint' : 'admin.keys.pathNeedsBits')
              }
              after={
                <Button icon={<FolderTree size={18} />} disabled={!matters} onClick={() => setTab('path')}>
                  {t('admin.keys.choosePath')}
                </Button>
              }
            />
          </div>
        </Section>
        <Section title={t('admin.keys.may')}>
          <May stored={stored} />
        </Section>
        {stored?.usage && (
          <Section title={t('admin.uploads.title')}>
            <Uploads of={stored.usage} />
          </Section>
        )}
        {stored && (
          <Section title={t('admin.keys.use')}>
            <KeyUse id={stored.id} />
          </Section>
        )}
      </div>
      <div {...tabPanel(id, 'path', tab)} className={formStyles.tab}>
        {tab === 'path' && (
          <PathTree
            path={chosen ?? path}
            onChoose={setChosen}
            onConfirm={() => finish(chosen ?? path)}
            onCancel={() => finish()}
          />
        )}
      </div>
    </>
  );
}
