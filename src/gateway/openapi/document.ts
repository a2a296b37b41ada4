import { z } from 'zod';
import type { Route } from '../../caller/route.ts';
import { Healthy, Unhealthy } from '../operations/health.ts';
import { compactSchemas } from './compact-schemas.ts';
import { createComponents } from './components.ts';
import type { Components } from './components.ts';
import { createErrorResponses } from './error-responses.ts';
import { addExamples } from './examples.ts';
import { describeOperation } from './operation.ts';
import { createParameters } from './parameters.ts';
import { shareBodies } from './shared-bodies.ts';
import type { Paths } from './shared-bodies.ts';
import { shareParameters } from './shared-parameters.ts';
import { SESSION, securitySchemes } from './security.ts';
import { describedTags } from './tags.ts';

export interface Deployment {
  baseUrl: string;
  /** Name of the cookie with a session's access token. */
  sessionCookie: string;
}

/** Generates the OpenAPI 3.1 document of the routes that are served. */
export function describeApi(routes: readonly Route[], { baseUrl, sessionCookie }: Deployment) {
  const components = createComponents();
  const parts = {
    components,
    parameters: createParameters(components),
    errors: createErrorResponses(components),
  };
  const paths: Paths = {};
  for (const route of routes) {
    const shared = parts.parameters.ofPath(route);
    const operations = (paths[route.path] ??= shared.length > 0 ? { parameters: shared } : {});
    operations[route.method.toLowerCase()] = describeOperation(route, parts);
  }
  paths['/health'] = { get: describeHealth(components) };
  const errors = parts.errors.components();
  const { requestBodies, responses } = shareBodies(paths, errors.Error);
  const { schemas, document } = components.finish({
    paths,
    parameters: shareParameters(paths),
    requestBodies,
    responses: { ...errors, ...responses },
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'toolgate',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: SESSION,
    ...describedTags,
    paths: document['paths'] as Paths,
    components: {
      schemas: addExamples(compactSchemas(schemas)),
      parameters: document['parameters'],
      requestBodies: document['requestBodies'],
      responses: document['responses'],
      headers,
      securitySchemes: securitySchemes(baseUrl, sessionCookie),
    },
  };
}

const DESCRIPTION = `Manages accounts, organizations, API keys and what agents may access. Tools are called over MCP only, at \`/mcp\`.

**Getting started**
1. \`getCaptchaChallenge\`, \`registerAccount\`, then \`verifyEmail\` with the token of the e-mailed link.
2. \`signIn\`: send its \`access_token\` as \`Authorization: Bearer\`.
3. To work with others, \`createOrganization\`: it has keys and settings of its own.
4. \`replaceMcpSettings\` or \`replaceOrganizationMcpSettings\`: at first, no built-in tool is selected.
5. \`createApiKey\` or \`createOrganizationKey\` with \`mcp_capabilities\`.
6. Connect an MCP client to \`/mcp\` with the key as \`X-API-Key\`: \`listClientSnippets\` shows how.

Send one credential only. A \`PATCH\` leaves omitted fields unchanged. A revoked key, connection or SCIM token is rejected from its next request on.

The \`message\` of an error says what must be so, its \`pointer\` where. An operation lists its own codes by status; the response \`Error\` lists those that any operation may return. A failure of the service itself is 500 \`internal_error\` or 503 \`service_unavailable\`.`;

const headers = {
  ETag: {
    description: 'The version of the answer, for `If-Match`.',
    schema: { type: 'string' },
    example: '"3"',
  },
  Location: { description: 'Where the browser goes next.', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
    example: 42,
  },
  'WWW-Authenticate': {
    description: 'The credential, or the scope of an access token, that is missing.',
    schema: { type: 'string' },
  },
};

function describeHealth(components: Components) {
  const content = (schema: z.ZodType, name: string) => ({
    content: { 'application/json': { schema: components.refer(schema, 'output', name) } },
  });
  return {
    operationId: 'getHealth',
    tags: ['Service'],
    summary: 'Check service readiness',
    description: 'Requires no credential.',
    security: [],
    responses: {
      200: { description: 'The service is ready.', ...content(Healthy, 'Healthy') },
      503: {
        description: 'A required component is unavailable.',
        ...content(Unhealthy, 'Unhealthy'),
      },
      '4XX': { $ref: '#/components/responses/Error' },
    },
  };
}
