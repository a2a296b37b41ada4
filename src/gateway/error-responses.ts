import type { Route } from '../caller/route.ts';
import { errorCodes } from '../platform/errors/error-codes.ts';
import type { ErrorCode } from '../platform/errors/error-codes.ts';
import { errorsOf } from './declared-errors.ts';

/** Describes the errors of operations in OpenAPI; equal responses become one component. */
export function createErrorResponses() {
  const components: Record<string, object> = {};
  return {
    components,
    forRoute: (route: Route) =>
      Object.fromEntries(
        [...errorsOf(route)].map(([status, codes]) => {
          const name = [status, ...codes].join('.');
          components[name] ??= describe(codes);
          return [status, { $ref: `#/components/responses/${name}` }];
        }),
      ),
  };
}

function describe(codes: readonly ErrorCode[]): object {
  const coded = { properties: { code: { enum: codes } } };
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/ErrorEnvelope' },
      { properties: { errors: { items: coded } } },
    ],
  };
  return {
    description: codes.map((code) => `- \`${code}\`: ${errorCodes[code].text}`).join('\n'),
    content: { 'application/json': { schema } },
  };
}
