import { changeRules } from '../../shared/rules';

/** learnRules lets the pages of this tab obey settings that have just been saved. */
export function learnRules(saved: Record<string, string>): void {
  const number = (key: string) => (key in saved ? Number(saved[key]) : undefined);
  const switched = (key: string) => (key in saved ? saved[key] === 'true' : undefined);
  const change = {
    editorMode: saved.site_editor_mode,
    privacy: switched('preview_privacy_mode'),
    defaultHours: number('share_default_expiry_hours'),
    maxHours: number('share_max_expiry_hours'),
    maxViews: number('share_max_views'),
    password: switched('share_password_required'),
  };
  changeRules(Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)));
}
