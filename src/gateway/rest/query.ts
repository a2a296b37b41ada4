import { z } from 'zod';
import type { Route } from '../../caller/route.ts';
import { malformed } from '../../platform/errors/refusal.ts';
import { toJsonPointer } from '../../platform/json/json-pointer.ts';
import { parseShape } from '../http/request-body.ts';

type QueryRoute = Pick<Route, 'path' | 'query' | 'table' | 'is_callback'>;

/** Parses the query; throws 400 for a parameter that the route does not have, or a wrong value. */
export function parseQuery(route: QueryRoute, sent: unknown): unknown {
  if (refusesUnknownParameters(route)) requireKnown(route, sent as object);
  return route.query ? parseShape(route.query, sent, 'invalid_query') : undefined;
}

/**
 * Whether an unknown parameter is an error, which it is in the API: there it is a mistake of the
 * caller. Pages and callbacks get parameters from others (decisions.md 9).
 */
export const refusesUnknownParameters = ({
  path,
  is_callback,
}: Pick<QueryRoute, 'path' | 'is_callback'>): boolean =>
  path.startsWith('/api/') && is_callback !== true;

function requireKnown({ query, table }: QueryRoute, sent: object): void {
  const known = [
    ...(query instanceof z.ZodObject ? Object.keys(query.shape) : []),
    ...(table === undefined ? [] : ['format']),
  ];
  const unknown = Object.keys(sent).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const message =
    known.length === 0
      ? 'is not a parameter: this operation has none'
      : `is not a parameter of this operation, which has ${known.join(', ')}`;
  throw malformed('invalid_query', 'The request is invalid.', {
    problems: unknown.slice(0, MAX_NAMED).map((name) => ({
      code: 'invalid_query',
      message,
      detail: { pointer: toJsonPointer([name.slice(0, MAX_NAME)]) },
    })),
  });
}

const MAX_NAMED = 20;
const MAX_NAME = 100;
