import type { Route } from '../../caller/route.ts';

// Acronyms as words (`createApiKey`), so that generators split every id in the same way.
const CAMEL_CASE = /^[a-z]+(?:[A-Z][a-z]+)+$/;

/** Throws at start unless every route has a unique operation id. */
export function requireOperationIds(routes: readonly Pick<Route, 'path' | 'operation_id'>[]): void {
  const seen = new Set<string>();
  for (const { path, operation_id } of routes) {
    if (!CAMEL_CASE.test(operation_id))
      throw new Error(`${path} declares no operation id such as createApiKey: ${operation_id}`);
    if (seen.has(operation_id))
      throw new Error(`${path} declares the operation id of another route: ${operation_id}`);
    seen.add(operation_id);
  }
}
