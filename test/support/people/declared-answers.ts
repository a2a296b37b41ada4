import { Ajv2020 } from 'ajv/dist/2020.js';

interface Document {
  /** By path, then by method in lower case. */
  paths: Record<string, Record<string, Operation>>;
}
interface Operation {
  /** By status; `default` is an error of HTTP itself. Errors are components. */
  responses: Record<string, { content?: unknown; $ref?: string }>;
}

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
 * and a body with no undeclared field or error code.
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
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, 'openapi');
  const findPath = createPathFinder(Object.keys(document.paths));

  return ({ method, path, status, text }) => {
    const summary = `${method} ${path} returned ${status}`;
    const template = findPath(path);
    const verb = method.toLowerCase();
    const operation = template === undefined ? undefined : document.paths[template]?.[verb];
    // Pages, metrics and MCP are not part of the API.
    if (!operation && !path.startsWith('/api/')) return;
    const declared = operation?.responses[status];
    if (operation && !declared)
      throw new Error(`${summary}, which is not declared: ${text.slice(0, MAX_SHOWN)}`);
    if (declared && !declared.content && !declared.$ref) {
      if (text !== '') throw new Error(`${summary} with a body, which is not declared`);
      return;
    }
    const validate = ajv.getSchema(
      `openapi${schemaOf(declared, [template!, verb, String(status)])}`,
    )!;
    if (validate(JSON.parse(text))) return;
    const faults = ajv.errorsText(validate.errors, { dataVar: 'body' });
    throw new Error(`${summary} with an undeclared body: ${faults} in ${text.slice(0, MAX_SHOWN)}`);
  };
}

/**
 * Returns the pointer to the schema of a response; a path that the API does not declare has only
 * error envelopes.
 */
function schemaOf(
  declared: { $ref?: string } | undefined,
  [path, verb, status]: readonly [path: string, verb: string, status: string],
): string {
  if (!declared) return '#/components/schemas/ErrorEnvelope';
  const response =
    declared.$ref ?? `#${['paths', path, verb, 'responses', status].map(pointerPart).join('')}`;
  return `${response}${['content', 'application/json', 'schema'].map(pointerPart).join('')}`;
}

const pointerPart = (name: string) =>
  `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`;

/**
 * Finds `/api/keys/{id}` for `/api/keys/7?limit=1`; paths with fewer parameters take precedence.
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
