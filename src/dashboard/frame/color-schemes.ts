import type { MantineColorSchemeManager } from '@mantine/core';
import { COLOR_SCHEME_COOKIE } from '../../look/color-scheme.ts';
import { readChoice, storeChoice } from './choices.ts';

/** Stores the chosen colour scheme where the server's pages find it; other tabs follow when loaded. */
export const colorSchemes: MantineColorSchemeManager = {
  get(fallback) {
    const chosen = readChoice(COLOR_SCHEME_COOKIE);
    return chosen === 'light' || chosen === 'dark' ? chosen : fallback;
  },
  set: (chosen) => storeChoice(COLOR_SCHEME_COOKIE, chosen === 'auto' ? null : chosen),
  clear: () => storeChoice(COLOR_SCHEME_COOKIE, null),
  subscribe() {},
  unsubscribe() {},
};
