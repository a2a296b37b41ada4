import { expect, test } from 'vitest';
import { createShortcutReader } from '../../../src/dashboard/palette/pressed-shortcut.ts';
import type { Pressed } from '../../../src/dashboard/palette/pressed-shortcut.ts';

const NONE = { ctrlKey: false, metaKey: false, altKey: false, repeat: false, isComposing: false };
const press = (key: string, part: Partial<Pressed> = {}): Pressed => ({ ...NONE, key, ...part });
const CALM = { isTyping: false, hasSingleKeys: true, now: 0 };

/** Reads keys one after the other, and returns what the last one asks for. */
function readAll(keys: readonly Pressed[], around: Partial<typeof CALM> = {}, isMac = false) {
  const read = createShortcutReader(isMac);
  return keys.map((key) => read(key, { ...CALM, ...around })).at(-1);
}

test('a letter after g leads to a page, also with other keys between two attempts', () => {
  expect(readAll([press('g'), press('k')])).toEqual({ go: 'k' });
  expect(readAll([press('g'), press('x'), press('k')])).toBeNull();
  expect(readAll([press('k')])).toBeNull();
});

test('a letter that comes late does not follow g', () => {
  const read = createShortcutReader(false);
  read(press('g'), CALM);
  expect(read(press('k'), { ...CALM, now: 1_501 })).toBeNull();
});

test('keys are compared by what they type, with or without Shift', () => {
  expect(readAll([press('/')])).toBe('filter');
  expect(readAll([press('Shift'), press('?')])).toBe('list');
});

test('no key that types a character works in a field, or when those keys are off', () => {
  for (const around of [{ isTyping: true }, { hasSingleKeys: false }])
    for (const keys of [[press('/')], [press('?')], [press('g'), press('k')]])
      expect(readAll(keys, around)).toBeNull();
});

test.each([
  ['Control elsewhere', false, { ctrlKey: true }, 'palette'],
  ['Command on macOS', true, { metaKey: true }, 'palette'],
  ['Control on macOS, which edits text', true, { ctrlKey: true }, null],
  ['Meta elsewhere, which is of the system', false, { metaKey: true }, null],
  ['both', false, { ctrlKey: true, metaKey: true }, null],
  ['Control with Alt, which types characters', false, { ctrlKey: true, altKey: true }, null],
  ['a key that is held down', false, { ctrlKey: true, repeat: true }, null],
] as const)('K with %s', (_title, isMac, part, expected) => {
  expect(readAll([press('k', part)], { isTyping: true, hasSingleKeys: false }, isMac)).toBe(
    expected,
  );
});

test('a key of an input method asks for nothing', () => {
  expect(readAll([press('?', { isComposing: true })])).toBeNull();
});
