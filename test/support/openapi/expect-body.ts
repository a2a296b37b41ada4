import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import type { ImportedTool } from '../../../src/content/tools/openapi/import.ts';
import { follow, formFields } from './serializer.ts';
import type { Json, JsonObject } from './shorthand.ts';

/** A request as a server received it. */
export interface Arrived {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

interface Sent {
  tool: Pick<ImportedTool, 'http'>;
  values: JsonObject;
  request: Arrived;
}

export function expectBody(
  document: JsonObject,
  operation: JsonObject,
  { tool, values, request }: Sent,
): void {
  const argument = /^\{\{(.+)\}\}$/.exec(String(tool.http.body))![1]!;
  if (!Object.hasOwn(values, argument)) return expect(request.body).toHaveLength(0);
  const value = values[argument];
  const type = request.headers['content-type'] ?? '';
  const { content } = follow(document, operation['requestBody']);
  const declared = Object.keys(content);
  const bare = type.split(';')[0]!;
  const matches = (one: string) =>
    new RegExp(`^${one.split(';')[0]!.replaceAll(/[.+]/g, '\\$&').replaceAll('*', '[^/]+')}$`).test(
      bare,
    );
  const media = content[declared.find(matches) ?? ''];
  expect([type, media !== undefined]).toEqual([type, true]);
  if (/json/.test(bare)) return expect(JSON.parse(request.body.toString())).toEqual(value);
  if (bare === 'application/x-www-form-urlencoded')
    return expect([...new URLSearchParams(request.body.toString())]).toEqual(
      formFields(media, value),
    );
  if (bare === 'multipart/form-data') return expectParts(media, value, request);
  const bytes =
    typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.base64, 'base64');
  expect(request.body).toEqual(bytes);
}

/** Compares the parts as latin1 text, which keeps every byte. */
function expectParts(media: JsonObject, value: JsonObject, { headers, body }: Arrived): void {
  const boundary = /boundary=(.+)$/.exec(headers['content-type']!)![1]!;
  const [, ...parts] = body.toString('latin1').split(`--${boundary}`);
  expect(parts.pop()).toBe('--\r\n');
  const found = parts.map((part) => {
    const [head = '', ...rest] = part.slice(2, -2).split('\r\n\r\n');
    return { name: / name="([^"]*)"/.exec(head)![1]!, head, content: rest.join('\r\n\r\n') };
  });
  const expected = Object.entries(value).flatMap(([name, field]) =>
    [field].flat().map((one: Json) => ({ name, one })),
  );
  expect(found.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
  for (const [index, { name, one }] of expected.entries()) {
    const { head, content } = found[index]!;
    if (one?.base64 !== undefined) {
      expect(content).toBe(Buffer.from(one.base64, 'base64').toString('latin1'));
      expect(head).toContain('filename=');
      const types = media['encoding']?.[name]?.contentType ?? 'application/octet-stream';
      expect(head).toContain(`Content-Type: ${one.media_type ?? types.split(',')[0]}`);
    } else if (typeof one === 'object') {
      expect(head).toContain('Content-Type: application/json');
      expect(JSON.parse(Buffer.from(content, 'latin1').toString())).toEqual(one);
    } else expect(Buffer.from(content, 'latin1').toString()).toBe(String(one));
  }
}
