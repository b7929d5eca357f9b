import { secondStep } from '../../api/admin/operations';
import { confirmPassword } from '../../api/admin/system';
import { ApiError } from '../../api/errors';
import { errorText } from '../../api/errorText';
import type { Translate } from '../../i18n';
import { askText, toast } from '../../shared/ui';

/**
 * confirmed does what needs a password of the last hour, and asks for the password where that is older. Who does not
 * give it gets the server's refusal.
 */
export async function confirmed<T>(run: () => Promise<T>, t: Translate): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'confirm_required') throw error;
    if (!(await showPassword(t))) throw error;
    return run();
  }
}

/** showPassword asks until the password is right, or the question is given up. */
async function showPassword(t: Translate): Promise<boolean> {
  const { enabled } = await secondStep();
  for (;;) {
    const ask = (label: string) =>
      askText({
        title: t('admin.form.confirmTitle'),
        hint: t('admin.form.confirmHint'),
        label,
        secret: true,
        validate: (value) => (value === '' ? t('admin.form.required') : ''),
      });
    const password = await ask(t('admin.account.currentPassword'));
    if (password === undefined) return false;
    const code = enabled ? await ask(t('admin.form.confirmCode')) : '';
    if (code === undefined) return false;
    try {
      await confirmPassword(password, code);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      toast.error(errorText(error, t));
    }
  }
}
