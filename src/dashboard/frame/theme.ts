import { createTheme } from '@mantine/core';

/** The look of the dashboard: colours and sizes that differ from the library's. */
export const theme = createTheme({
  primaryColor: 'gate',
  primaryShade: { light: 7, dark: 8 },
  colors: {
    // The greys of dark pages, from text to the deepest background.
    dark: [
      '#e8eaed',
      '#c9ced4',
      '#a9b1ba',
      '#6e7781',
      '#363d45',
      '#2b3138',
      '#1b2026',
      '#171b20',
      '#0f1216',
      '#0b0e11',
    ],
    gate: [
      '#eaf0ff',
      '#d3defc',
      '#a6bbf5',
      '#7796ef',
      '#5077ea',
      '#3764e8',
      '#2a5ae8',
      '#1c4fd7',
      '#1745bd',
      '#0b3ba6',
    ],
  },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  defaultRadius: 'md',
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.4rem' }, h2: { fontSize: '1.1rem' }, h3: { fontSize: '1rem' } },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
});
