const YEAR_S = 31_536_000;

/** Reads what a person chose in this browser. It is a cookie, so that the server's pages follow it. */
export function readChoice(name: string): string | null {
  const choices = new URLSearchParams(document.cookie.replaceAll('; ', '&'));
  return choices.get(name);
}

/** Stores a choice in this browser; null removes it. */
export function storeChoice(name: string, value: string | null): void {
  const isSecure = location.protocol === 'https:' ? '; secure' : '';
  const age = value === null ? 0 : YEAR_S;
  document.cookie = `${name}=${value ?? ''}; path=/; max-age=${age}; samesite=lax${isSecure}`;
}
