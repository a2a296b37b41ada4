import { Ajv2020 } from 'ajv/dist/2020.js';
import { errorsOf } from '../../../src/gateway/rest/declared-errors.ts';
import { declaredRoutes } from '../declared-routes.ts';

interface Document {
  /** By path, then by method in lower case. */
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas; responses: Record<string, Response> };
}
interface Operation {
  /** By status; `4XX` is any other error. */
  responses: Record<string, Response>;
}
interface Response {
  content?: Content;
  $ref?: string;
}
type Content = Record<string, { schema: Schema }>;

interface ReceivedResponse {
  method: string;
  path: string;
  status: number;
  text: string;
}
type Check = (received: ReceivedResponse) => void;
const MAX_SHOWN = 2_000;

// All gateways of a process serve the same API, so it is read and compiled only once.
let check: Promise<Check> | null = null;

/**
 * Throws unless the gateway's OpenAPI document declares the response: its status for the operation,
 * and a body with no undeclared field. An error code must be one that the route declares, or that
 * its access, body and parameters imply.
 */
export async function requireDeclared(url: string, received: ReceivedResponse): Promise<void> {
  check ??= readCheck(url).catch((error: unknown) => {
    check = null;
    throw error;
  });
  (await check)(received);
}

async function readCheck(url: string): Promise<Check> {
  const document = (await (await fetch(`${url}/api/openapi.json`)).json()) as Document;
  const validators = createValidators(document);
  const findPath = createPathFinder(Object.keys(document.paths));
  const codes = new Map(
    (await declaredRoutes()).map((route) => [`${route.method} ${route.path}`, errorsOf(route)]),
  );

  return ({ method, path, status, text }) => {
    const summary = `${method} ${path} returned ${status}`;
    const template = findPath(path);
    const operation = document.paths[template ?? '']?.[method.toLowerCase()];
    // Pages, metrics and MCP are not part of the API.
    if (!operation && !path.startsWith('/api/')) return;
    const fail = (what: string) => {
      throw new Error(`${summary} ${what}: ${text.slice(0, MAX_SHOWN)}`);
    };
    const declared = follow(operation?.responses[status], document.components.responses);
    if (status < 400 && operation && !declared) fail(', which is not declared');
    if (declared && !declared.content) {
      if (text !== '') fail('with a body, which is not declared');
      return;
    }
    const body: unknown = JSON.parse(text);
    const isError = status >= 400 && template !== '/health';
    const validate = isError ? validators.errors : validators.of(declared!.content!);
    if (!validate(body))
      fail(`with an undeclared body (${validators.faults(validate.errors, { dataVar: 'body' })})`);
    const allowed = codes.get(`${method} ${template}`)?.get(status) ?? [];
    if (!isError || !operation || OF_HTTP.has(status)) return;
    const undeclared = (body as { errors: { code: string }[] }).errors.find(
      ({ code }) => !(allowed as string[]).includes(code),
    );
    if (undeclared) fail(`with ${undeclared.code}, which is not declared`);
  };
}

/** Follows the references of a response. */
function follow(
  response: Response | undefined,
  responses: Readonly<Record<string, Response>>,
): Response | undefined {
  if (response?.$ref === undefined) return response;
  return follow(responses[response.$ref.split('/').at(-1)!], responses);
}

/** Errors before a route is known: of the method, the Expect header, the headers' size. */
const OF_HTTP: ReadonlySet<number> = new Set([405, 417, 431]);

/** Compiles the schemas of responses, which may have no fields but the declared ones. */
function createValidators({ components: { schemas } }: Document) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  const ofSchema = ({ $ref }: Schema) => {
    const validate = compiled.get($ref!) ?? ajv.compile(closeSchema({ $ref: $ref! }, schemas));
    compiled.set($ref!, validate);
    return validate;
  };
  return {
    errors: ofSchema({ $ref: '#/components/schemas/Errors' }),
    of: (content: Content) => ofSchema(content['application/json']!.schema),
    faults: ajv.errorsText.bind(ajv),
  };
}

interface Schema {
  $ref?: string;
  properties?: Schemas;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}
type Schemas = Readonly<Record<string, Schema>>;

/** Returns a schema without references that allows no undeclared field. */
function closeSchema(schema: Schema, schemas: Schemas, isPart = false): object {
  const { $ref, properties, items, additionalProperties: more, ...rest } = schema;
  if ($ref !== undefined) return closeSchema(schemas[$ref.split('/').at(-1)!]!, schemas, isPart);
  const close = (inner: Schema) => closeSchema(inner, schemas);
  const parts = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) =>
    rest[name] === undefined
      ? []
      : [[name, rest[name].map((part) => closeSchema(part, schemas, true))] as const],
  );
  const isOpen = isPart || more !== undefined || (!properties && parts.length === 0);
  return {
    ...rest,
    ...Object.fromEntries(parts),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, close(inner)]),
      ),
    }),
    ...(items && { items: close(items) }),
    ...(more !== undefined && {
      additionalProperties: typeof more === 'object' ? close(more) : more,
    }),
    ...(isOpen ? {} : { unevaluatedProperties: false }),
  };
}

/**
 * Finds `/api/keys/{key_id}` for `/api/keys/7?limit=1`; paths with fewer parameters take precedence.
 */
function createPathFinder(paths: readonly string[]) {
  const parameters = (path: string) => path.split('{').length - 1;
  const patterns = paths
    .toSorted((a, b) => parameters(a) - parameters(b))
    .map((path): [string, RegExp] => [
      path,
      new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    ]);
  return (url: string): string | undefined => {
    const path = url.replace(/[?#].*$/s, '');
    return patterns.find(([, pattern]) => pattern.test(path))?.[0];
  };
}
