import { grounds } from './grounds.ts';

/** The colours of one theme. Ratios against bg and surface meet WCAG AA; change values here and nowhere else. */
export interface Palette {
  bg: string;
  surface: string;
  ink: string;
  muted: string;
  accent: string;
  onAccent: string;
  danger: string;
  onDanger: string;
  warn: string;
  ok: string;
  lineStrong: string;
  line: string;
  /** wash is a faint accent fill for hovered and selected things; text on it keeps its contrast. */
  wash: string;
  shadow: string;
  backdrop: string;
}

export const light: Palette = {
  bg: grounds.light,
  surface: '#FFFFFF',
  ink: '#1A1F24',
  muted: '#59626D',
  accent: '#0A6A6A',
  onAccent: '#FFFFFF',
  danger: '#B3261E',
  onDanger: '#FFFFFF',
  warn: '#875800',
  ok: '#1D6838',
  lineStrong: '#858B94',
  line: '#E2E1DB',
  wash: '#EDF2F0',
  shadow: '0 8px 28px rgb(26 31 36 / 0.16)',
  backdrop: 'rgb(26 31 36 / 0.42)',
};

export const dark: Palette = {
  bg: grounds.dark,
  surface: '#1A2127',
  ink: '#E9ECEE',
  muted: '#A0ABB6',
  accent: '#58C7C0',
  onAccent: '#0C1214',
  danger: '#FF8F85',
  onDanger: '#0C1214',
  warn: '#EDBE55',
  ok: '#7FD494',
  lineStrong: '#6B7681',
  line: '#2A333B',
  wash: '#1F2C31',
  shadow: '0 8px 28px rgb(0 0 0 / 0.5)',
  backdrop: 'rgb(4 7 9 / 0.6)',
};

export const sans =
  'ui-sans-serif, system-ui, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Noto Color Emoji"';
export const mono =
  'ui-monospace, "SF Mono", "Cascadia Code", "Noto Sans Mono CJK SC", monospace, "Apple Color Emoji", "Segoe UI Emoji", "Noto Color Emoji"';

/**
 * Sizes in px: type steps, the 4 px space step, radii of controls and panels, content widths, header height. From
 * windows of 1940 px on, work screens grow with the window up to workWide.
 */
export const sizes = {
  type: { xs: 12, sm: 14, md: 16, lg: 18, xl: 22, xxl: 28 },
  space: 4,
  radius: 6,
  radiusPanel: 10,
  work: 1280,
  workWide: 1680,
  prose: 760,
  header: 64,
} as const;

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function variables(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, value]) => `  --${kebab(name)}: ${value};`)
    .join('\n');
}

/** tokensCss writes the tokens as CSS custom properties: light on :root and on paper, dark under data-theme="dark". */
export function tokensCss(): string {
  const type = Object.entries(sizes.type).map(([name, px]) => `  --text-${name}: ${px / 16}rem;`);
  const space = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16].map((n) => `  --space-${n}: ${(n * sizes.space) / 16}rem;`);
  return `:root {
  color-scheme: light;
${variables(light)}
  --sans: ${sans};
  --mono: ${mono};
${type.join('\n')}
${space.join('\n')}
  --radius: ${sizes.radius}px;
  --radius-panel: ${sizes.radiusPanel}px;
  --work: clamp(${sizes.work}px, 66vw, ${sizes.workWide}px);
  --prose: ${sizes.prose}px;
  --header: ${sizes.header}px;
}
/* On paper the light colours hold. */
@media not print {
:root[data-theme='dark'] {
  color-scheme: dark;
${variables(dark)}
}
}
`;
}
