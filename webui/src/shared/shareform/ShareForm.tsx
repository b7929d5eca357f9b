import { Flame, KeyRound, Shuffle, type LucideIcon } from 'lucide-react';
import { lazy, Suspense, type ButtonHTMLAttributes, type ReactNode } from 'react';
import { useAborter } from '../../hooks/useAborter';
import { useT } from '../../i18n';
import { lazyPart } from '../lazyPart';
import { siteRules } from '../rules';
import { PasswordField, SelectField, Skeleton, TextField } from '../ui';
import { durationLabel, expiryLabel } from './labels';
import styles from './ShareForm.module.css';
import type { ShareFormState } from './useShareForm';
import {
  expiryChoices,
  freshShare,
  generatePassword,
  generateSlug,
  slugProblem,
  type Expiry,
} from './values';

// Where it cannot be fetched, the errors stand under their fields all the same.
const FormProblems = lazy(() => import('../ui/FormProblems').catch(() => ({ default: () => null })));

const LatchFields = lazyPart(() => import('../visits/LatchFields'), 'visits');

interface ShareFormProps {
  form: ShareFormState;
  disabled?: boolean;
  /** severalFiles changes the help under the custom link, which then is a prefix. */
  severalFiles?: boolean;
  /** isTaken asks the server whether a custom link exists already; asked when the field is left. */
  isTaken?: (slug: string, signal: AbortSignal) => Promise<boolean>;
  /** children are fields of this kind of share alone. */
  children?: ReactNode;
}

interface FillProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: LucideIcon;
}

/** Fill is a button beside a label that fills the field in. */
function Fill({ icon: Icon, children, ...rest }: FillProps) {
  return (
    <button {...rest} type="button" className={styles.fill}>
      <Icon size={14} />
      {children}
    </button>
  );
}

/** ShareForm holds what every share can have, in the order in which Home sums it up. */
export function ShareForm({
  form,
  disabled = false,
  severalFiles = false,
  isTaken,
  children,
}: ShareFormProps) {
  const t = useT();
  const { values, problems } = form;
  const ask = useAborter();
  const error = (field: keyof typeof values) => (problems[field] ? t(problems[field]) : undefined);

  async function leaveSlug() {
    form.leave('slug');
    const slug = values.slug.trim();
    const signal = ask();
    if (!isTaken || !slug || slugProblem(slug)) return;
    try {
      if (await isTaken(slug, signal)) form.warn('slug', 'share.errors.slugTaken');
    } catch {
      // Whether it is free is said for certain when the share is made.
    }
  }

  const rules = siteRules();
  const burn = values.maxViews === '1';
  return (
    <div className={styles.frame}>
      <Suspense fallback={null}>{form.asked > 0 && <FormProblems asked={form.asked} />}</Suspense>
      <fieldset className={styles.form} disabled={disabled}>
        <SelectField
          name="expiry"
          label={t('share.form.expiry')}
          hint={
            rules.maxHours > 0 ? t('share.atMost', { most: durationLabel(rules.maxHours, t) }) : undefined
          }
          error={error('expiry')}
          value={values.expiry}
          choices={expiryChoices().map((value) => ({ value, label: expiryLabel(value, t) }))}
          onChange={(event) => form.set({ expiry: event.target.value as Expiry })}
        />
        {values.expiry === 'custom' && (
          <TextField
            type="datetime-local"
            label={t('share.form.expiryAt')}
            error={error('expiryAt')}
            value={values.expiryAt}
            onChange={(event) => form.set({ expiryAt: event.target.value })}
            onBlur={() => form.leave('expiryAt')}
          />
        )}
        <TextField
          name="maxViews"
          label={t('share.form.maxViews')}
          hint={rules.maxViews > 0 ? t('share.atMost', { most: String(rules.maxViews) }) : undefined}
          placeholder={rules.maxViews > 0 ? undefined : t('share.form.noLimit')}
          error={error('maxViews')}
          value={values.maxViews}
          inputMode="numeric"
          onChange={(event) => form.set({ maxViews: event.target.value })}
          onBlur={() => form.leave('maxViews')}
          aside={
            <Fill
              icon={Flame}
              aria-pressed={burn}
              onClick={() => form.set({ maxViews: burn ? freshShare().maxViews : '1' })}
            >
              {t('share.form.burn')}
            </Fill>
          }
        />
        <PasswordField
          name="password"
          label={t('share.form.password')}
          hint={t(rules.password ? 'share.form.passwordNeeded' : 'share.form.passwordHint')}
          optional={!rules.password}
          error={error('password')}
          value={values.password}
          autoComplete="new-password"
          onChange={(event) => form.set({ password: event.target.value })}
          aside={
            <Fill icon={KeyRound} onClick={() => form.set({ password: generatePassword() })}>
              {t('share.form.generate')}
            </Fill>
          }
        />
        <TextField
          name="slug"
          label={t('share.form.slug')}
          hint={t(severalFiles ? 'share.form.slugPrefixHint' : 'share.form.slugHint')}
          optional
          error={error('slug')}
          value={values.slug}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          onChange={(event) => form.set({ slug: event.target.value })}
          onBlur={() => void leaveSlug()}
          aside={
            <Fill icon={Shuffle} onClick={() => form.set({ slug: generateSlug() })}>
              {t('share.form.unguessable')}
            </Fill>
          }
        />
        <TextField
          name="remark"
          label={t('share.form.remark')}
          hint={t('share.form.remarkHint')}
          optional
          error={error('remark')}
          value={values.remark}
          onChange={(event) => form.set({ remark: event.target.value })}
          onBlur={() => form.leave('remark')}
        />
        {children}
        <div className={styles.latch}>
          <Suspense fallback={<Skeleton lines={4} />}>
            <LatchFields
              latch={values}
              wrong={problems.days !== undefined}
              onChange={form.set}
              onLeaveDays={() => form.leave('days')}
            />
          </Suspense>
        </div>
      </fieldset>
    </div>
  );
}
