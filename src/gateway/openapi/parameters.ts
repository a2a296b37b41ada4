import type { z } from 'zod';
import { isCreating } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { errorsOf } from '../rest/declared-errors.ts';
import { FormatQuery } from '../rest/table-format.ts';
import type { Components } from './components.ts';

type JsonObject = Record<string, unknown>;

/** The header of optimistic concurrency, on every operation that may answer 412. */
const IF_MATCH: JsonObject = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `ETag` of the version that the change is based on; if another is active, the answer is 412.',
  schema: { type: 'string' },
};

/** The header that makes a creation repeatable. */
const IDEMPOTENCY_KEY: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A text of your choice, such as a new UUID. Sent again with it, a request creates nothing more for 24 hours: it gets the first response again, for one hour with its secrets. Another body is 422 `idempotency_mismatch`; 409 `idempotency_running` means that the first is not done.',
  schema: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[!-~]+$' },
};

/** The header that makes a long request a job. */
const PREFER: JsonObject = {
  name: 'Prefer',
  in: 'header',
  description: '`respond-async`: answer 202 at once, and do the work as a job.',
  schema: { type: 'string' },
};

/**
 * Describes the parameters of operations from the queries of routes. `parameter` in the metadata of
 * a field is the name of its component, where several parameters or a schema have the name of the
 * field.
 */
export function createParameters({ inline }: Pick<Components, 'inline'>) {
  function describe(schema: z.ZodType | undefined, place: 'path' | 'query'): JsonObject[] {
    if (schema === undefined) return [];
    const { properties, required = [] } = inline(schema) as {
      properties?: Record<string, JsonObject>;
      required?: string[];
    };
    if (properties === undefined)
      throw new TypeError('Parameters must be an object without an id.');
    return Object.entries(properties).map(([name, { description, parameter, ...type }]) => ({
      ...(parameter === undefined ? {} : { component: parameter }),
      name,
      in: place,
      ...(place === 'path' || required.includes(name) ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema: type,
    }));
  }

  return {
    /**
     * Returns the parameters of a route's path, which all its operations have. `component` is what
     * a component for one is called, if not as the parameter.
     */
    ofPath: (route: Route) => describe(route.params, 'path'),
    /** Returns the other parameters of a route, in the order of its query. */
    of: (route: Route) => [
      ...describe(route.query, 'query'),
      ...(route.table ? describe(FormatQuery, 'query') : []),
      ...(errorsOf(route).has(412) ? [IF_MATCH] : []),
      ...(isCreating(route) ? [IDEMPOTENCY_KEY] : []),
      ...(route.job ? [PREFER] : []),
    ],
  };
}
export type Parameters = ReturnType<typeof createParameters>;
