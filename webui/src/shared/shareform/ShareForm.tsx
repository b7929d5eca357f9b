import { Flame, KeyRound, Shuffle } from 'lucide-react';
import { lazy, Suspense, type ReactNode } from 'react';
import { useAborter } from '../../hooks/useAborter';
import { useT } from '../../i18n';
import { lazyPart } from '../lazyPart';
import { siteRules } from '../rules';
import { IconButton, PasswordField, SelectField, Skeleton, TextField } from '../ui';
import { durationLabel, expiryLabel } from './labels';
import styles from './ShareForm.module.css';
import type { ShareFormState } from './useShareForm';
import { expiryChoices, generatePassword, generateSlug, slugProblem, type Expiry } from './values';

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

/** ShareForm holds what every share can have: remark, custom link, password, expiry, view limit. */
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
        <TextField
          className={styles.wide ?? ''}
          name="remark"
          label={t('share.form.remark')}
          hint={t('share.form.remarkHint')}
          optional
          error={error('remark')}
          value={values.remark}
          onChange={(event) => form.set({ remark: event.target.value })}
          onBlur={() => form.leave('remark')}
        />
        <TextField
          className={styles.wide ?? ''}
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
          after={
            <IconButton
              label={t('share.form.unguessable')}
              onClick={() => form.set({ slug: generateSlug() })}
            >
              <Shuffle size={18} aria-hidden="true" />
            </IconButton>
          }
        />
        <PasswordField
          className={styles.wide ?? ''}
          name="password"
          label={t('share.form.password')}
          hint={t(rules.password ? 'share.form.passwordNeeded' : 'share.form.passwordHint')}
          optional={!rules.password}
          error={error('password')}
          value={values.password}
          autoComplete="new-password"
          onChange={(event) => form.set({ password: event.target.value })}
          after={
            <IconButton
              label={t('share.form.generate')}
              onClick={() => form.set({ password: generatePassword() })}
            >
              <KeyRound size={18} aria-hidden="true" />
            </IconButton>
          }
        />
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
        <TextField
          name="maxViews"
          label={t('share.form.maxViews')}
          hint={
            rules.maxViews > 0
              ? t('share.atMost', { most: String(rules.maxViews) })
              : t('share.form.maxViewsHint')
          }
          error={error('maxViews')}
          value={values.maxViews}
          inputMode="numeric"
          onChange={(event) => form.set({ maxViews: event.target.value })}
          onBlur={() => form.leave('maxViews')}
          after={
            <IconButton
              label={t('share.form.burn')}
              aria-pressed={burn}
              onClick={() => form.set({ maxViews: burn ? String(rules.maxViews) : '1' })}
            >
              <Flame size={18} aria-hidden="true" />
            </IconButton>
          }
        />
        {values.expiry === 'custom' && (
          <TextField
            className={styles.wide ?? ''}
            type="datetime-local"
            label={t('share.form.expiryAt')}
            error={error('expiryAt')}
            value={values.expiryAt}
            onChange={(event) => form.set({ expiryAt: event.target.value })}
            onBlur={() => form.leave('expiryAt')}
          />
        )}
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
        {children}
      </fieldset>
    </div>
  );
}
