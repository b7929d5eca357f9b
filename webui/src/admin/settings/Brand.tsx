import { ImageUp, Trash } from 'lucide-react';
import { useRef, useState } from 'react';
import { useInput } from 'react-admin';
import { useWatch } from 'react-hook-form';
import { useT } from '../../i18n';
import { Mark } from '../../shared/Mark';
import { dark, light, type Palette } from '../../theme/tokens';
import { Button } from '../../shared/ui';
import styles from './brand.module.css';
import { isColour, shadesOf } from './shades';

/** Largest logo that the server takes, in bytes. */
const largestLogo = 64 << 10;
const logoTypes = ['image/png', 'image/webp', 'image/svg+xml'];

/** Picker chooses the colour by eye. */
export function Picker() {
  const t = useT();
  const { field } = useInput({ source: 'site_accent' });
  const value = String(field.value ?? '');
  return (
    <input
      type="color"
      className={styles.picker}
      aria-label={t('admin.settings.site.accentPick')}
      value={isColour(value) ? value : light.accent}
      onChange={(event) => field.onChange(event.target.value.toUpperCase())}
    />
  );
}

/** Logo takes a picture from the device into the setting, as a data URL. */
export function Logo() {
  const t = useT();
  const { field } = useInput({ source: 'site_logo' });
  const [problem, setProblem] = useState('');
  const chooser = useRef<HTMLInputElement>(null);
  const value = String(field.value ?? '');

  async function take(file: File | undefined) {
    if (!file) return;
    if (!logoTypes.includes(file.type) || file.size > largestLogo) {
      setProblem(t('admin.settings.site.logoBad'));
      return;
    }
    setProblem('');
    field.onChange(await dataUrl(file));
  }

  return (
    <div className={styles.logo} role="group" aria-labelledby="brand-logo">
      <p id="brand-logo" className={styles.label}>
        {t('admin.settings.labels.site_logo')}
      </p>
      <div className={styles.buttons}>
        <Button
          icon={<ImageUp size={18} />}
          aria-describedby="brand-logo-hint"
          onClick={() => chooser.current?.click()}
        >
          {t(value ? 'admin.settings.site.logoReplace' : 'admin.settings.site.logoChoose')}
        </Button>
        {value && (
          <Button variant="quiet" icon={<Trash size={18} />} onClick={() => field.onChange('')}>
            {t('admin.settings.site.logoRemove')}
          </Button>
        )}
      </div>
      <input
        ref={chooser}
        type="file"
        hidden
        accept={logoTypes.join(',')}
        data-testid="logo"
        onChange={(event) => {
          void take(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <p id="brand-logo-hint" className={styles.hint}>
        {t('admin.settings.site.logoHint')}
      </p>
    </div>
  );
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('the file could not be read'));
    reader.readAsDataURL(file);
  });
}

/** Looks shows header and button in both themes, and says where a colour was made darker or lighter. */
export function Looks() {
  const t = useT();
  const typed = String(useWatch({ name: 'site_accent' }) ?? '');
  const logo = String(useWatch({ name: 'site_logo' }) ?? '');
  const title = String(useWatch({ name: 'site_title' }) ?? '') || 'Pasteport';
  const own = isColour(typed);
  const shades = own ? shadesOf(typed) : { light: light.accent, dark: dark.accent };
  const moved = (['light', 'dark'] as const).filter(
    (theme) => own && shades[theme].toUpperCase() !== typed.toUpperCase(),
  );
  return (
    <div>
      <p className={styles.hint}>{t('admin.settings.site.preview')}</p>
      <div className={styles.looks}>
        <Look palette={light} accent={shades.light} logo={logo} title={title} />
        <Look palette={dark} accent={shades.dark} logo={logo} title={title} />
      </div>
      {moved.map((theme) => (
        <p key={theme} role="status" className={styles.hint}>
          {t(`admin.settings.site.moved.${theme}`, { shade: shades[theme] })}
        </p>
      ))}
    </div>
  );
}

interface LookProps {
  palette: Palette;
  accent: string;
  logo: string;
  title: string;
}

function Look({ palette, accent, logo, title }: LookProps) {
  const t = useT();
  const colours = {
    '--bg': palette.bg,
    '--surface': palette.surface,
    '--ink': palette.ink,
    '--line': palette.line,
    '--accent': accent,
    '--on-accent': palette.onAccent,
  } as React.CSSProperties;
  return (
    <div className={styles.look} style={colours}>
      <div className={styles.bar}>
        {logo ? (
          <img src={logo} alt={title} />
        ) : (
          <>
            <Mark size={24} />
            <strong>{title}</strong>
          </>
        )}
      </div>
      <div className={styles.body}>
        <span className={styles.link}>{t('admin.settings.site.sampleLink')}</span>
        <span className={styles.button}>{t('admin.settings.site.sampleButton')}</span>
      </div>
    </div>
  );
}
