/**
 * The look of everything a person sees: the dashboard, the gateway's own pages and e-mails. Only this
 * file says what a colour or a size is.
 */
export const look = {
  /** Colours by role, each in light and in dark surroundings. Texts have a contrast of 4.5 or more. */
  colors: {
    page: ['#f7f8fa', '#0c0e11'],
    surface: ['#ffffff', '#14171b'],
    hover: ['#f0f2f5', '#1c2026'],
    /** Between parts of a page. */
    rule: ['#e3e6ea', '#262b31'],
    /** Around fields, which must be found by it. */
    line: ['#8c959f', '#6e7781'],
    /** Around buttons, which their text makes known. */
    edge: ['#d3d8de', '#363d45'],
    text: ['#16191d', '#e6e8eb'],
    quiet: ['#5c636a', '#9aa3ad'],
    link: ['#1c4fd7', '#8ab4ff'],
    accent: ['#1c4fd7', '#2a5ae8'],
    'accent-hover': ['#163fae', '#3b68ee'],
    'on-accent': ['#ffffff', '#ffffff'],
    good: ['#066649', '#63d2a6'],
    bad: ['#b42318', '#ff9d92'],
    warning: ['#7a4b00', '#ffd43b'],
    /** Behind texts of the same name, and behind links. */
    'link-tint': ['#eaf0ff', '#17233f'],
    'good-tint': ['#e6f6ef', '#12291f'],
    'bad-tint': ['#fdeceb', '#3a1b19'],
    'warning-tint': ['#fff4d6', '#3a2e10'],
    'on-warning': ['#5c3d00', '#ffdf9b'],
  },
  /** Shades of the accent and of dark surroundings, from light to dark, for the component library. */
  shades: {
    accent: [
      ...['#eaf0ff', '#d3defc', '#a6bbf5', '#7796ef', '#5077ea'],
      ...['#3764e8', '#2a5ae8', '#1c4fd7', '#1745bd', '#0b3ba6'],
    ],
    dark: [
      ...['#e6e8eb', '#c9ced4', '#9aa3ad', '#6e7781', '#363d45'],
      ...['#262b31', '#1c2026', '#14171b', '#0c0e11', '#08090b'],
    ],
  },
  /** Sizes of text in rem. */
  text: { xs: 0.75, sm: 0.8125, md: 0.875, lg: 1, xl: 1.125, title: 1.375 },
  /** Distances in rem. */
  space: { '2xs': 0.25, xs: 0.5, sm: 0.75, md: 1, lg: 1.5, xl: 2, '2xl': 3 },
  /** Radii of corners in rem: of small marks, fields and buttons, cards. */
  radius: { sm: 0.25, md: 0.375, lg: 0.625 },
  font: "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif",
  mono: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
} as const;

/** Returns the service's mark, a gate with an opening; `attributes` of the element, after a space. */
export const markSvg = (attributes = ''): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"${attributes}><rect width="24" height="24" rx="6" fill="${look.colors.accent[0]}"/><path d="M6 18v-6.5a6 6 0 0 1 12 0V18M12 18v-6" fill="none" stroke="${look.colors['on-accent'][0]}" stroke-width="2.2" stroke-linecap="round"/></svg>`;

/**
 * Returns the CSS variables of the look, such as `--surface`, `--text-sm` and `--space-md`. The
 * `color-scheme` of the element that uses a colour decides between light and dark.
 */
export const lookVariables = (): string => {
  const lengths = (prefix: string, sizes: Readonly<Record<string, number>>) =>
    Object.entries(sizes).map(([name, size]) => `--${prefix}-${name}: ${size}rem;`);
  const colors = Object.entries(look.colors).map(
    ([name, [light, dark]]) => `--${name}: light-dark(${light}, ${dark});`,
  );
  return `:root {
${[
  ...colors,
  ...lengths('text', look.text),
  ...lengths('space', look.space),
  ...lengths('radius', look.radius),
  `--font: ${look.font};`,
  `--mono: ${look.mono};`,
].join('\n')}
}
`;
};
