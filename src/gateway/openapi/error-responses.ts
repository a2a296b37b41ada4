import { z } from 'zod';
import { References } from '../../platform/http/reference.ts';
import type { RouteErrors } from '../../caller/route-errors.ts';
import type { Route } from '../../caller/route.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import { errorsOf } from '../rest/declared-errors.ts';
import type { Components } from './components.ts';

type JsonObject = Record<string, unknown>;

/** Errors of HTTP itself, which no route declares. */
const OF_HTTP: readonly ErrorCode[] = [
  'expectation_failed',
  'headers_too_large',
  'method_not_allowed',
];

/** Collects the error responses of operations, which all have the form of one component. */
export function createErrorResponses({ refer }: Pick<Components, 'refer'>) {
  const common = new Set<ErrorCode>(OF_HTTP);
  const used = new Set<ErrorCode>(ANY_OPERATION);

  return {
    /**
     * Returns the error responses of a route: those that it declares by status, with their codes as
     * the description. A route that declares none has as `4XX` those that any operation may return.
     */
    of(route: Route) {
      const own: JsonObject = {};
      for (const [status, codes] of errorsOf(route)) {
        const declared = codes.filter((code) => isDeclared(route, status, code));
        if (declared.length > 0) own[status] = { ...ERROR, description: declared.join(', ') };
        for (const code of codes) used.add(code);
        if (status < 500) for (const code of codes) if (!declared.includes(code)) common.add(code);
      }
      // One error of an operation must be listed; those of others are listed once, in the component.
      const hasOwn = Object.keys(own).some((status) => Number(status) < 500);
      return hasOwn ? own : { ...own, '4XX': ERROR };
    },
    /** Returns the component, by its name. */
    components: () => ({
      Error: describe([...common], refer(errorsWith([...used.union(common)]), 'output', 'Errors')),
    }),
  };
}
export type ErrorResponses = ReturnType<typeof createErrorResponses>;

/** Errors of the service itself. */
const ANY_OPERATION: readonly ErrorCode[] = ['internal_error', 'service_unavailable'];

const ERROR = { $ref: '#/components/responses/Error' };

/** Codes that many routes declare: they are among the common ones. */
const COMMON: ReadonlySet<ErrorCode> = new Set(['version_mismatch', 'rate_limited']);

/** Returns whether a route declares a code itself. */
const isDeclared = ({ errors = [] }: Route, status: number, code: ErrorCode): boolean =>
  !COMMON.has(code) &&
  [errors]
    .flat()
    .some((group: RouteErrors) => group[status as keyof RouteErrors]?.includes(code) === true);
const listOf = (codes: readonly ErrorCode[]) => codes.map((code) => `\`${code}\``).join(', ');

const count = (what: string) => z.int().describe(`With \`role_in_use\`: how many ${what} it.`);

/** Every field that locates or explains an error; the test client accepts no other. */
const ErrorDetail = z
  .object({
    pointer: z
      .string()
      .describe('JSON Pointer to the wrong field of the body, or parameter of the query.'),
    permission: z.string().describe('The permission that the caller lacks.'),
    capability: z.string().describe('The capability that the caller lacks.'),
    limit: z.int().describe('The largest accepted value, in bytes for a text.'),
    version: z.int().describe('With `version_mismatch`: the active version.'),
    plan: z.string().describe('With `plan_required`: the plan.'),
    organizations: References.describe('With `last_owner`: those with no other Owner.'),
    members: count('members have'),
    invitations: count('invitations give'),
    connections: count('single sign-on connections give'),
    custom_tools: z.array(z.string()).describe('With `upstream_in_use`: tools that use it.'),
    prompts: z.array(z.string()).describe('Likewise, prompts.'),
    resources: z.array(z.string()).describe('Likewise, resources.'),
    txt_name: z.string().describe('With `txt_not_found`: the name of the record.'),
    txt_value: z.string().describe('With `txt_not_found`: its value.'),
    schema_pointer: z.string().describe('JSON Pointer into the schema of an upstream’s tool.'),
    reason: z.string().describe('With `upstream_error`: why it could not be called.'),
    status: z.int().describe('With `upstream_error`: the HTTP status it answered.'),
    code: z.int().describe('With `upstream_error`: the JSON-RPC code it answered.'),
    url: z.string().describe('Where to connect an account, or the address that failed.'),
    issuer: z.string().describe('With `issuer_changed`: the authorization server named now.'),
    approved: z.string().describe('With `issuer_changed`: the approved one.'),
    oauth_error: z.string().describe('The OAuth error of an authorization server.'),
    redirect_uri: z.string().describe('With `upstream_client_missing`: what to register.'),
  })
  .partial()
  .meta({ id: 'ErrorDetail' });

const errorsWith = (codes: readonly ErrorCode[]) => {
  const ErrorCodeName = z.enum(codes.toSorted()).meta({
    id: 'ErrorCode',
    description: 'A code is never renamed.',
  });
  const Problem = z
    .object({
      code: ErrorCodeName,
      message: z.string().describe('What must be so, for people; it may change.'),
      detail: ErrorDetail.nullable(),
    })
    .meta({ id: 'Problem' });
  return z
    .object({ errors: z.array(Problem).min(1).describe('All problems found, at most 20.') })
    .meta({ id: 'Errors' });
};

/** Describes the form of every error response, and which codes any operation may return. */
const describe = (codes: readonly ErrorCode[], errors: JsonObject): JsonObject => ({
  description: `One of ${listOf(codes.toSorted())}.`,
  headers: {
    'Retry-After': { $ref: '#/components/headers/Retry-After' },
    'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' },
  },
  content: { 'application/json': { schema: errors } },
});
