import { defaultLightTheme, type RaThemeOptions } from 'react-admin';
import { config } from '../config';
import { dark, light, mono, sans, sizes, type Palette } from '../theme/tokens';

const own = (name: string): string | undefined => {
  const value: unknown = Object(config.accent)[name];
  return typeof value === 'string' ? value : undefined;
};

/** The palettes with the site's own colour, where it has one. */
const palettes: Record<'light' | 'dark', Palette> = {
  light: { ...light, accent: own('light') ?? light.accent, onAccent: own('onLight') ?? light.onAccent },
  dark: { ...dark, accent: own('dark') ?? dark.accent, onAccent: own('onDark') ?? dark.onAccent },
};

/** panelTheme dresses MUI in the tokens of the public pages (src/theme/tokens.ts). */
export function panelTheme(mode: 'light' | 'dark'): RaThemeOptions {
  const c = palettes[mode];
  const ring = { outline: `2px solid ${c.accent}`, outlineOffset: 2 };
  return {
    ...defaultLightTheme,
    palette: {
      mode,
      primary: { main: c.accent, contrastText: c.onAccent },
      secondary: { main: c.accent, contrastText: c.onAccent },
      error: { main: c.danger, contrastText: c.onDanger },
      warning: { main: c.warn },
      success: { main: c.ok },
      info: { main: c.accent },
      text: { primary: c.ink, secondary: c.muted },
      divider: c.line,
      background: { default: c.bg, paper: c.surface },
      action: { hover: c.wash, selected: c.wash, active: c.muted },
    },
    shape: { borderRadius: sizes.radius },
    typography: {
      fontFamily: sans,
      fontSize: sizes.type.sm,
      button: { textTransform: 'none', fontWeight: 600 },
    },
    components: {
      ...defaultLightTheme.components,
      MuiCssBaseline: {
        // The public style sheet has set the page already; its sizes and fonts stand.
        styleOverrides: {
          body: { fontSize: '1rem', lineHeight: 1.5, backgroundColor: c.bg },
          code: { fontFamily: mono },
        },
      },
      MuiButtonBase: {
        defaultProps: { disableRipple: true },
        styleOverrides: { root: { '&:focus-visible': ring } },
      },
      MuiButton: { defaultProps: { disableElevation: true } },
      MuiPaper: { styleOverrides: { root: { backgroundImage: 'none' } } },
      MuiTextField: {
        defaultProps: { variant: 'outlined', margin: 'dense', size: 'small', fullWidth: true },
      },
      MuiFormControl: {
        defaultProps: { variant: 'outlined', margin: 'dense', size: 'small', fullWidth: true },
      },
      MuiOutlinedInput: {
        styleOverrides: {
          root: { backgroundColor: c.surface },
          notchedOutline: { borderColor: c.lineStrong },
        },
      },
      MuiInputLabel: { styleOverrides: { root: { color: c.muted } } },
      MuiFormHelperText: { styleOverrides: { root: { marginLeft: 0, fontSize: sizes.type.xs } } },
      MuiTableCell: {
        styleOverrides: {
          root: { borderColor: c.line, padding: '6px' },
          head: { fontWeight: 600, color: c.muted, wordBreak: 'keep-all', backgroundColor: c.surface },
        },
      },
      MuiTableRow: { styleOverrides: { root: { '&:last-child td': { borderBottom: 0 } } } },
      MuiTablePagination: {
        styleOverrides: {
          root: { color: c.muted, fontVariantNumeric: 'tabular-nums' },
          toolbar: { '&&': { flexWrap: 'wrap', justifyContent: 'end', rowGap: 4, padding: 0 } },
          spacer: { display: 'none' },
          selectLabel: { fontSize: sizes.type.xs },
          displayedRows: { fontSize: sizes.type.sm },
          selectRoot: {
            minHeight: 36,
            border: `1px solid ${c.lineStrong}`,
            borderRadius: sizes.radius,
            backgroundColor: c.surface,
          },
        },
      },
      MuiMenu: { styleOverrides: { paper: { border: `1px solid ${c.line}`, boxShadow: c.shadow } } },
      MuiPopover: { styleOverrides: { paper: { border: `1px solid ${c.line}`, boxShadow: c.shadow } } },
      // React-admin names row checkboxes on a span, where assistive technology does not look for it.
      MuiCheckbox: {
        defaultProps: {
          slotProps: {
            input: (owner: unknown) => {
              const name = (owner as Record<string, unknown>)['aria-label'];
              return typeof name === 'string' ? { 'aria-label': name } : {};
            },
            root: { 'aria-label': undefined },
          },
        },
      },
    },
  };
}
