import { Monitor, Moon, Sun } from 'lucide-react';
import { useT } from '../i18n';
import { IconButton } from '../shared/ui';
import { nextMode, setThemeMode, useThemeMode } from '../theme/mode';

const icons = { auto: Monitor, light: Sun, dark: Moon };

/** ThemeButton cycles auto, light, dark and says which is on and which comes next. */
export function ThemeButton() {
  const t = useT();
  const mode = useThemeMode();
  const next = nextMode(mode);
  const Icon = icons[mode];
  return (
    <IconButton
      label={t('app.theme.button', { mode: t(`app.theme.${mode}`), next: t(`app.theme.${next}`) })}
      onClick={() => setThemeMode(next)}
    >
      <Icon size={20} />
    </IconButton>
  );
}
