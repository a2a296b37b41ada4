/** Cookie in which the dashboard stores `light` or `dark` if a person chose one of them. */
export const COLOR_SCHEME_COOKIE = 'toolgate-color-scheme';

/** Null follows the system. */
export type ColorScheme = 'light' | 'dark' | null;

/** Returns the colour scheme that a person chose in the dashboard. */
export function chosenColorScheme(
  cookies: Readonly<Record<string, string | undefined>>,
): ColorScheme {
  const chosen = cookies[COLOR_SCHEME_COOKIE];
  return chosen === 'light' || chosen === 'dark' ? chosen : null;
}
