import { shareEqual } from './share-equal.ts';

type JsonObject = Record<string, unknown>;

/** Operations by path, then by method; `parameters` of a path are next to its methods. */
export type Paths = Record<string, Record<string, unknown>>;
interface Operation {
  operationId: string;
  requestBody?: JsonObject;
  /** By status. */
  responses: Record<string, JsonObject>;
}

/**
 * Moves request bodies and responses that several operations have into components, if that makes
 * the document shorter: most would be written four times, for each kind of space. `errors` is the
 * response that those of operations refer to.
 */
export function shareBodies(
  paths: Paths,
  errors: JsonObject,
): { requestBodies: JsonObject; responses: JsonObject } {
  const operations = Object.values(paths).flatMap(({ parameters: _parameters, ...methods }) =>
    Object.values(methods as Record<string, Operation>),
  );
  const bodies = operations.flatMap((operation) => {
    const { requestBody } = operation;
    return requestBody === undefined
      ? []
      : [{ in: operation, at: 'requestBody', name: `${schemaOf(requestBody)}.body` }];
  });
  const responses = operations.flatMap(({ operationId, responses: byStatus }) =>
    Object.entries(byStatus).flatMap(([status, response]) => {
      const error = ownError(response, errors);
      if (error !== null) byStatus[status] = error;
      const name = error ? errorName(error, operationId) : successName(status, response);
      return name === null ? [] : [{ in: byStatus, at: status, name }];
    }),
  );
  return {
    requestBodies: shareEqual('requestBodies', bodies),
    responses: shareEqual('responses', responses),
  };
}

/**
 * Returns a response with codes of its own, whole: a description next to a reference is dropped by
 * generators and pages, and it names the codes. Null for any other response.
 */
const ownError = ({ $ref, description }: JsonObject, { content }: JsonObject) =>
  $ref === undefined || description === undefined ? null : { description, content };

const MAX_CODES_IN_NAME = 2;

/** Returns the codes as a name or, if they are many, the first operation that has them. */
function errorName({ description }: JsonObject, operationId: string): string {
  const codes = String(description).match(/\w+/g) ?? [];
  return codes.length > MAX_CODES_IN_NAME ? `${operationId}.refused` : codes.join('.');
}

const SUFFIXES: Readonly<Record<string, string>> = { 201: 'created', 202: 'accepted' };

/** Returns what a response contains and means; null if it contains nothing. */
function successName(status: string, response: JsonObject): string | null {
  const schema = schemaOf(response);
  if (schema === null) return null;
  const suffix = SUFFIXES[status] ?? 'ok';
  return `${schema}.${'headers' in response ? `${suffix}.versioned` : suffix}`;
}

/** Returns the name of a body's schema. */
function schemaOf({ content }: JsonObject): string | null {
  const [media] = Object.values((content ?? {}) as Record<string, { schema: JsonObject }>);
  const ref = media?.schema['$ref'] as string | undefined;
  return ref?.replace(/^.*:/, '') ?? null;
}
