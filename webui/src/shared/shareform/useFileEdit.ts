import { useState, type FormEvent } from 'react';
import { errorText } from '../../api/errorText';
import { updateFile } from '../../api/files';
import type { FileUpdate, PublicFile } from '../../api/types';
import { useT } from '../../i18n';
import { slugProblem, useTerms } from './useTerms';

/** What of a file share can be changed, and what it is called. */
export type EditableFile = Pick<
  PublicFile,
  'id' | 'slug' | 'filename' | 'remark' | 'expires_at' | 'max_views' | 'use_proxy'
>;

interface FileEditOptions {
  hasPassword: boolean;
  /** onSaved is told what was sent. */
  onSaved: (body: FileUpdate) => void;
  /** onClose is called where there is nothing to save. */
  onClose: () => void;
}

/** useFileEdit is a form that changes a file share; each field starts as "keep" and only changes are sent. */
export function useFileEdit(file: EditableFile, { hasPassword, onSaved, onClose }: FileEditOptions) {
  const t = useT();
  const terms = useTerms({
    slug: file.slug,
    remark: file.remark ?? '',
    expiresAt: file.expires_at,
    maxViews: file.max_views ?? 0,
    hasPassword,
  });
  const [proxy, setProxy] = useState(file.use_proxy === 1);
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState('');

  /** changed is what the form would save. */
  function changed(): FileUpdate {
    const changes = terms.changes();
    return {
      ...(changes.slug !== undefined && { slug: changes.slug }),
      ...(changes.remark !== undefined && { remark: changes.remark }),
      ...(changes.expiresAt !== undefined && { expires_at: changes.expiresAt?.toISOString() ?? null }),
      ...(changes.maxViews !== undefined && { max_views: changes.maxViews }),
      ...(changes.password !== undefined && { password: changes.password }),
      ...(proxy !== (file.use_proxy === 1) && { use_proxy: proxy }),
    };
  }

  async function save(event: FormEvent) {
    event.preventDefault();
    if (saving || !terms.check()) return;
    const body = changed();
    if (Object.keys(body).length === 0) {
      onClose();
      return;
    }
    setSaving(true);
    setProblem('');
    try {
      await updateFile(file.id, body);
      onSaved(body);
    } catch (error) {
      refused(error);
    } finally {
      setSaving(false);
    }
  }

  function refused(error: unknown) {
    const wrong = slugProblem(error);
    if (wrong) terms.refuse('slug', wrong);
    else setProblem(errorText(error, t));
  }

  return { form: terms.form, proxy, setProxy, saving, problem, save };
}
