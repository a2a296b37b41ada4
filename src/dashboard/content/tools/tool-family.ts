import { samePath, textOrNull } from '../family.ts';
import type { Family } from '../family.ts';
import { jsonOf, jsonText } from '../json-text.ts';
import { ENTRY_LISTS, followsMethod, HINTS, hintsOf, isSame } from './tool.ts';
import type { Entry, Tool, ToolValues } from './tool.ts';
import { ToolFields } from './tool-fields.tsx';
import { ToolNotice } from './tool-notice.tsx';

export const toolFamily: Family<Tool, ToolValues> = {
  place: 'tools',
  path: 'custom-tools',
  nameOf: ({ name }) => name,
  valuesOf,
  bodyOf,
  fieldOf,
  Fields: ToolFields,
  Notice: ToolNotice,
};

function valuesOf(tool: Tool | null): ToolValues {
  const http = tool?.kind === 'http' ? tool.http : null;
  const body = http?.body ?? null;
  return {
    name: tool?.name ?? '',
    title: tool?.title ?? '',
    description: tool?.description ?? '',
    input_schema: jsonText(tool?.input_schema ?? { type: 'object', properties: {} }),
    hints: tool === null ? hintsOf('GET') : HINTS.filter((hint) => tool.annotations[hint]),
    method: http?.method ?? 'GET',
    url: http?.url ?? '',
    query: entriesOf(http?.query),
    headers: entriesOf(http?.headers),
    cookies: entriesOf(http?.cookies),
    body_kind: body === null ? 'none' : typeof body === 'string' ? 'text' : 'json',
    body: body === null ? '' : typeof body === 'string' ? body : jsonText(body),
    format: http?.response.format ?? 'auto',
    response_query: http?.response.query ?? '',
    timeout_ms: http?.timeout_ms ?? 10_000,
    encoding: http?.encoding === undefined ? '' : jsonText(http.encoding),
    secrets: {},
  };
}

const entriesOf = (record: Readonly<Record<string, string>> = {}): Entry[] =>
  Object.entries(record).map(([name, value]) => ({ name, value }));

const recordOf = (entries: readonly Entry[]) =>
  Object.fromEntries(
    entries
      .filter(({ name, value }) => name !== '' || value !== '')
      .map(({ name, value }) => [name, value]),
  );

function bodyOf(values: ToolValues, tool: Tool | null, notJson: string): object {
  if (tool?.kind === 'mcp') return { name: values.name };
  const secrets = Object.entries(values.secrets).filter(([, value]) => value !== '');
  return {
    ...(tool === null ? { kind: 'http' } : {}),
    name: values.name,
    title: textOrNull(values.title),
    description: values.description,
    input_schema: jsonOf(values.input_schema, '/input_schema', notJson),
    ...annotationsOf(values, tool),
    http: httpOf(values, notJson),
    ...(secrets.length === 0 ? {} : { secrets: Object.fromEntries(secrets) }),
  };
}

/** Returns the annotations if they change; none of their own while they follow the method. */
function annotationsOf({ hints, method }: ToolValues, tool: Tool | null): object {
  const before = tool === null ? null : valuesOf(tool);
  if (before?.method === method && isSame(before.hints, hints)) return {};
  if (!followsMethod({ hints, method }))
    return { annotations: Object.fromEntries(HINTS.map((hint) => [hint, hints.includes(hint)])) };
  return tool === null ? {} : { annotations: {} };
}

const httpOf = (values: ToolValues, notJson: string) => ({
  method: values.method,
  url: values.url,
  query: recordOf(values.query),
  headers: recordOf(values.headers),
  ...(values.cookies.length === 0 ? {} : { cookies: recordOf(values.cookies) }),
  body: requestBodyOf(values, notJson),
  ...(values.encoding.trim() === ''
    ? {}
    : { encoding: jsonOf(values.encoding, '/http/encoding', notJson) }),
  timeout_ms: values.timeout_ms,
  response: { format: values.format, query: textOrNull(values.response_query) },
});

function requestBodyOf({ body_kind, body }: ToolValues, notJson: string): unknown {
  if (body_kind === 'none') return null;
  return body_kind === 'text' ? body : jsonOf(body, '/http/body', notJson);
}

/** Returns the field that a pointer names: the request is one object in the body, not in the form. */
function fieldOf([first, second, ...rest]: readonly string[], values: ToolValues): string | null {
  if (first === 'input_schema') return 'input_schema';
  if (first === 'secrets' && second !== undefined) return `secrets.${second}`;
  if (first !== 'http') return samePath(first === undefined ? [] : [first], values);
  if (second === 'response') return rest[0] === 'format' ? 'format' : 'response_query';
  const list = ENTRY_LISTS.find((one) => one === second);
  if (list === undefined) return samePath(second === undefined ? [] : [second], values);
  const index = values[list].findIndex(({ name }) => name.toLowerCase() === rest[0]?.toLowerCase());
  return index === -1 ? list : `${list}.${index}.value`;
}
