import { Button, createTheme, rem } from '@mantine/core';
import { look } from '../../look/look.ts';

const rems = <Name extends string>(sizes: Readonly<Record<Name, number>>) =>
  Object.fromEntries(
    Object.entries<number>(sizes).map(([name, size]) => [name, rem(16 * size)]),
  ) as Record<Name, string>;

const text = rems(look.text);
const { sm, md, lg } = rems(look.radius);

/** The look of the component library: that of all pages, in the library's terms. */
export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  colors: { accent: look.shades.accent, dark: look.shades.dark },
  fontFamily: look.font,
  fontFamilyMonospace: look.mono,
  fontSizes: text,
  spacing: rems(look.space),
  radius: { xs: sm, sm, md, lg, xl: lg },
  defaultRadius: 'md',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: text.title, lineHeight: '1.3' },
      h2: { fontSize: text.lg, lineHeight: '1.4' },
      h3: { fontSize: text.md, lineHeight: '1.5' },
    },
  },
  components: {
    Button: Button.extend({
      // Destructive actions are confirmed in a dialog with a red button.
      vars: (_theme, { color, variant }) => ({
        root:
          color === 'red' && variant === 'light'
            ? {
                '--button-bg': 'var(--surface)',
                '--button-hover': 'var(--hover)',
                '--button-color': 'var(--bad)',
                '--button-bd': 'calc(0.0625rem * var(--mantine-scale)) solid var(--edge)',
              }
            : {},
      }),
    }),
    // No module of these two, whose pages are loaded later, is needed here.
    SegmentedControl: { defaultProps: { withItemsBorders: false } },
    Alert: {
      vars: (_theme: unknown, { color }: { color?: string }) => ({
        root:
          color === 'gray'
            ? {
                '--alert-bg': 'var(--surface)',
                '--alert-color': 'var(--text)',
                '--alert-bd': 'calc(0.0625rem * var(--mantine-scale)) solid var(--edge)',
              }
            : {},
      }),
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
});
