import { z } from 'zod';
import { isInteractive, isInOrganization, isOnObject, refusesKeys } from '../caller/access.ts';
import type { Access } from '../caller/access.ts';
import type { Route } from '../caller/route.ts';
import type { GrantName } from './access.ts';
import { createErrorResponses } from './error-responses.ts';
import { Healthy, Unhealthy } from './health.ts';

const ErrorEnvelope = z.object({
  errors: z.array(z.object({ code: z.string(), message: z.string(), detail: z.unknown() })),
});

/** Generates the OpenAPI 3.1 description from the routes that are served. */
export function describeApi(routes: readonly Route[], baseUrl: string, grantName: GrantName) {
  const errors = createErrorResponses();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const operations = (paths[route.path] ??= {});
    operations[route.method.toLowerCase()] = describeOperation(route, grantName, errors);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'toolgate',
      version: '1',
      description:
        'Manages accounts, organizations, API keys and what agents may access. Tools are called over MCP only, at `/mcp`.',
    },
    servers: [{ url: baseUrl }],
    paths: { ...paths, '/health': { get: health } },
    components: {
      schemas: { ErrorEnvelope: schemaOf(ErrorEnvelope, 'output') },
      responses: errors.components,
      securitySchemes: {
        session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
}

const json = (schema: unknown) => ({ 'application/json': { schema } });

const health = {
  operationId: 'getHealth',
  tags: ['Service'],
  summary: 'Check readiness',
  description: 'Requires no credential.',
  security: [],
  responses: {
    200: { description: 'The service is ready.', content: json(schemaOf(Healthy, 'output')) },
    default: {
      description: '503: a required component is unavailable.',
      content: json(schemaOf(Unhealthy, 'output')),
    },
  },
};

function describeOperation(
  route: Route,
  grantName: GrantName,
  errors: Pick<ReturnType<typeof createErrorResponses>, 'forRoute'>,
) {
  const responses = Object.entries(route.responses).map(([status, schema]) => [
    status,
    {
      description: MEANINGS[status] ?? 'Success.',
      ...(schema ? { content: json(schemaOf(schema, 'output')) } : {}),
    },
  ]);
  return {
    operationId: route.operation_id,
    tags: [route.tag],
    summary: route.summary,
    description: accessSentence(route.access, grantName),
    security: securityOf(route.access, grantName),
    ...(route.params || route.query
      ? { parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query')] }
      : {}),
    ...(route.body
      ? { requestBody: { required: true, content: contentOf(route, route.body) } }
      : {}),
    responses: {
      ...Object.fromEntries(responses),
      ...errors.forRoute(route),
      default: {
        description: 'An HTTP-level error, detected before the operation starts (docs/errors.md).',
        content: json({ $ref: '#/components/schemas/ErrorEnvelope' }),
      },
    },
  };
}

function contentOf({ form_bytes }: Route, body: z.ZodType) {
  const schema = schemaOf(body, 'input');
  return form_bytes === undefined
    ? json(schema)
    : { 'application/x-www-form-urlencoded': { schema } };
}

const MEANINGS: Readonly<Record<string, string>> = {
  204: 'Success without a body.',
  302: 'A redirect without a body.',
  303: 'A redirect without a body, to be followed with GET.',
};

function parameters(schema: z.ZodType | undefined, place: 'path' | 'query') {
  if (!schema) return [];
  const object = schemaOf(schema, 'input') as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  return Object.entries(object.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (object.required?.includes(name) ?? false),
    schema: property,
  }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

const acceptsKeys = (access: Access, grantName: GrantName): boolean =>
  isOnObject(access) && !refusesKeys(access)
    ? access.permission === 'see' || grantName(access.on, access.permission) !== null
    : access === 'caller';

function securityOf(access: Access, grantName: GrantName) {
  if (access === 'public') return [];
  return acceptsKeys(access, grantName) ? [{ session: [] }, { api_key: [] }] : [{ session: [] }];
}

function accessSentence(access: Access, grantName: GrantName): string {
  if (access === 'public') return 'Requires no credential.';
  if (isInOrganization(access))
    return 'Requires a member’s session; an API key always gets 403, anyone else 404.';
  if (isInteractive(access)) return 'Requires a signed-in session; an API key always gets 403.';
  if (!isOnObject(access)) return 'Requires any credential.';
  if (access.permission === 'see')
    return access.on === 'account'
      ? 'Requires a session, or a key with a personal grant.'
      : 'Requires a member’s session, or a key with a grant for the organization; else 404.';
  const grant = grantName(access.on, access.permission);
  if (refusesKeys(access))
    return `Requires a session, or an access token, with the permission \`${grant}\`; an API key always gets 403.`;
  return grant === null
    ? 'Requires a session: keys cannot be granted this permission.'
    : `Requires a session, or a key with the permission \`${grant}\`.`;
}
