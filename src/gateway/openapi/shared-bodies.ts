type JsonObject = Record<string, unknown>;

/** Operations by path, then by method; `parameters` of a path are next to its methods. */
export type Paths = Record<string, Record<string, unknown>>;
interface Operation {
  requestBody?: JsonObject;
  /** By status. */
  responses: Record<string, JsonObject>;
}

/**
 * Moves every request body and response that several operations have into components: most would
 * be written four times, for each kind of space. `errors` is the response that those of operations
 * refer to.
 */
export function shareBodies(
  paths: Paths,
  errors: JsonObject,
): { requestBodies: JsonObject; responses: JsonObject } {
  const operations = Object.values(paths).flatMap(({ parameters: _parameters, ...methods }) =>
    Object.values(methods as Record<string, Operation>),
  );
  const bodies = createShared(
    'requestBodies',
    operations.map(({ requestBody }) => requestBody),
  );
  const responses = createShared(
    'responses',
    operations.flatMap((operation) => Object.values(operation.responses)),
    errors['content'],
  );
  for (const operation of operations) {
    if (operation.requestBody) operation.requestBody = bodies.refer(operation.requestBody, '');
    for (const [status, response] of Object.entries(operation.responses))
      operation.responses[status] = responses.refer(response, SUFFIXES[status] ?? '');
  }
  return { requestBodies: bodies.shared, responses: responses.shared };
}

const SUFFIXES: Readonly<Record<string, string>> = { 201: '.created', 202: '.accepted' };

/** Creates the components of one kind; `content` is that of what error responses refer to. */
function createShared(kind: string, all: readonly (JsonObject | undefined)[], content?: unknown) {
  const texts = Map.groupBy(all, (one) => JSON.stringify(one));
  const shared: JsonObject = {};

  /** Returns the name itself, or with a number if a different object has it. */
  function freeName(name: string, object: JsonObject): string {
    for (let number = 1; ; number += 1) {
      const free = number === 1 ? name : `${name}.${number}`;
      if (JSON.stringify(shared[free] ?? object) === JSON.stringify(object)) return free;
    }
  }

  return {
    shared,
    /** Returns a reference if others are equal, else the object itself. */
    refer(object: JsonObject, suffix: string): JsonObject {
      const base = nameOf(object);
      if (base === undefined) return object;
      // A description next to a reference is dropped by generators and pages, and it names the codes.
      const whole = '$ref' in object ? { description: object['description'], content } : object;
      if (texts.get(JSON.stringify(object))!.length === 1) return whole;
      const name = freeName(base + suffix, whole);
      shared[name] = whole;
      return { $ref: `#/components/${kind}/${name}` };
    },
  };
}

/** Returns the name of a body's schema; of an error response, the first code in its description. */
function nameOf({ content, description, headers, $ref }: JsonObject): string | undefined {
  if ($ref !== undefined)
    return typeof description === 'string' ? /\w+/.exec(description)?.[0] : undefined;
  const [media] = Object.values((content ?? {}) as Record<string, { schema: JsonObject }>);
  const name = (media?.schema['$ref'] as string | undefined)?.replace(/^.*:/, '');
  return name === undefined || headers === undefined ? name : `${name}.versioned`;
}
