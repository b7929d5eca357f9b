import { useState } from 'react';
import {
  beginSecondStep,
  disableSecondStep,
  enableSecondStep,
  renewRecovery,
} from '../../api/admin/operations';
import { useT } from '../../i18n';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { useReading } from '../../shared/query/useReading';
import { Button, CopyButton, QrDialog, Skeleton, toast } from '../../shared/ui';
import { secondStepQuery } from '../data/queries';
import { AskForm } from '../form/AskForm';
import { FieldInput } from '../form/fields';
import formStyles from '../form/form.module.css';
import { Section } from '../form/PanelForm';
import styles from '../ops/ops.module.css';
import { secondStepFields } from './rules';

/** SecondStep turns codes of an app at sign-in on and off. It needs the message area "ops". */
export function SecondStep() {
  const t = useT();
  const state = useReading(secondStepQuery);
  const [offer, setOffer] = useState<{ secret: string; url: string }>();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const [qr, setQr] = useState(false);
  const fields = secondStepFields(t);
  const show = ({ recovery_codes }: { recovery_codes: string[] }) => {
    setCodes(recovery_codes);
    state.retry();
  };

  if (state.error) return <ErrorPanel error={state.error} onRetry={state.retry} />;
  if (!state.data) return <Skeleton lines={3} />;
  return (
    <Section title={t('ops.second.title')}>
      <p className={formStyles.hint}>{t('ops.second.body')}</p>
      {codes.length > 0 && (
        <div className={styles.part} role="status">
          <p>{t('ops.second.codes')}</p>
          <ul className={styles.codes}>
            {codes.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
          <div>
            <CopyButton text={codes.join('\n')} label={t('ops.second.copyCodes')} />
          </div>
        </div>
      )}
      {state.data.enabled && (
        <AskForm
          // Whoever asks again types again.
          key={codes[0]}
          fields={fields}
          ask={({ password, code }) => renewRecovery(String(password), String(code).trim()).then(show)}
          label={t('ops.second.renew')}
          other={{
            label: t('ops.second.disable'),
            danger: true,
            ask: async ({ password, code }) => {
              await disableSecondStep(String(password), String(code).trim());
              setCodes([]);
              state.retry();
              toast.success(t('ops.second.off'));
            },
          }}
        >
          <p className={styles.good}>{t('ops.second.isOn', { left: state.data.recovery_codes_left })}</p>
          <FieldInput source="password" />
          <FieldInput source="code" />
        </AskForm>
      )}
      {!state.data.enabled && !offer && (
        <AskForm
          fields={fields}
          ask={({ password }) => beginSecondStep(String(password)).then(setOffer)}
          label={t('ops.second.begin')}
          primary
        >
          <FieldInput source="password" />
        </AskForm>
      )}
      {!state.data.enabled && offer && (
        <AskForm
          fields={fields}
          ask={async ({ code }) => {
            show(await enableSecondStep(String(code).trim()));
            setOffer(undefined);
            toast.success(t('ops.second.on'));
          }}
          label={t('ops.second.enable')}
          primary
        >
          <p>{t('ops.second.scan')}</p>
          <p>
            <code>{offer.secret}</code>
          </p>
          <div className={styles.row}>
            <Button onClick={() => setQr(true)}>{t('ops.second.qr')}</Button>
            <CopyButton text={offer.secret} label={t('ops.second.copySecret')} />
          </div>
          <FieldInput source="code" />
        </AskForm>
      )}
      {qr && offer && <QrDialog link={offer.url} onClose={() => setQr(false)} />}
    </Section>
  );
}
