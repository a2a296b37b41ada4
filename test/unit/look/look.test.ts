import { globSync, readFileSync } from 'node:fs';
import { converter, wcagContrast } from 'culori';
import { expect, test } from 'vitest';
import { look, lookVariables, markSvg } from '../../../src/look/look.ts';
import { chosenColorScheme } from '../../../src/look/color-scheme.ts';
import { renderDocument } from '../../../src/look/document.ts';

const TEXTS = ['text', 'quiet', 'link', 'good', 'bad', 'warning'] as const;
const GROUNDS = ['page', 'surface', 'hover'] as const;
const pairs = [
  ...TEXTS.flatMap((text) => GROUNDS.map((ground) => [text, ground] as const)),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
  ['on-warning', 'warning-tint'],
  ...(['link', 'good', 'bad', 'warning'] as const).map((name) => [name, `${name}-tint`] as const),
] as const;

test.each(pairs)('%s can be read on %s, in light and in dark', (text, ground) => {
  for (const scheme of [0, 1] as const)
    expect(wcagContrast(look.colors[text][scheme], look.colors[ground][scheme])).toBeGreaterThan(
      4.5,
    );
});

test('the border of a field can be seen on its surroundings', () => {
  for (const scheme of [0, 1] as const)
    expect(
      wcagContrast(look.colors.line[scheme], look.colors.surface[scheme]),
    ).toBeGreaterThanOrEqual(3);
});

test('what a page shows in light is light, and what it shows in dark is dark', () => {
  const lightnessOf = (color: string) => converter('oklch')(color)?.l ?? 0;

  for (const ground of GROUNDS) {
    expect(lightnessOf(look.colors[ground][0])).toBeGreaterThan(0.9);
    expect(lightnessOf(look.colors[ground][1])).toBeLessThan(0.3);
  }
});

// Black and white of QR codes, which cameras read, are no colours of the look.
const WITH_OWN_COLORS = /^src\/(?:look\/look\.ts|dashboard\/settings\/qr\/|catalog\/)/;
const COLOR = /(?<![&\w])#(?:[\da-f]{3}|[\da-f]{6})(?![\w-])|\brgba?\(|\bhsla?\(/gi;

test('only the look says what a colour is', () => {
  const files = globSync('src/**/*.{ts,tsx,css,js,html,svg}').filter(
    (file) => !WITH_OWN_COLORS.test(file),
  );
  const found = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(COLOR)].map(([color]) => `${file}: ${color}`),
  );

  expect(files.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});

test('every variable that a style uses is one of the look, of its file or of the library', () => {
  const known = new Set([...lookVariables().matchAll(/^(--[\w-]+):/gm)].map(([, name]) => name));
  const files = ['src/look/document-style.ts', ...globSync('src/dashboard/**/*.css')];
  const unknown = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const used = [...text.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name!);
    return used
      .filter((name) => !name.startsWith('--mantine-') && !known.has(name))
      .filter((name) => !text.includes(`${name}:`))
      .map((name) => `${file}: ${name}`);
  });

  expect(unknown).toEqual([]);
});

const page = {
  language: 'en',
  direction: 'ltr',
  host: 'x.example',
  title: 'Hi',
  body: '',
} as const;

test('a page has the mark of the dashboard, and follows the chosen colour scheme', () => {
  const system = renderDocument({ ...page, color_scheme: null });
  const dark = renderDocument({ ...page, color_scheme: 'dark' });

  expect(system).toContain(/<path.*/.exec(markSvg())![0]);
  expect(system).toContain('<meta name="color-scheme" content="light dark">');
  expect(system).not.toContain('<html lang="en" dir="ltr" data-color-scheme');
  expect(dark).toContain('<html lang="en" dir="ltr" data-color-scheme="dark">');
  expect(dark).not.toMatch(/<script/);
});

test.each([
  [{ 'toolgate-color-scheme': 'dark' }, 'dark'],
  [{ 'toolgate-color-scheme': 'light' }, 'light'],
  [{ 'toolgate-color-scheme': '"><script>' }, null],
  [{}, null],
])('of the cookies %j, the colour scheme %j is taken', (cookies, scheme) => {
  expect(chosenColorScheme(cookies)).toBe(scheme);
});
