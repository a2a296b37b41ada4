import { describe, expect, test } from 'vitest';
import { tools } from '../../../src/catalog/tools.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { ask, createKeyHolder } from '../mcp/key-holder.ts';

const { world, gateway } = await useGateway();
const ada = await createKeyHolder(world, gateway);
await ada.select(tools.map(({ name }) => name));
const { secret } = await ada.createKey();

const call = (name: string, args: unknown) =>
  ask(`${gateway.url}/mcp`, { 'x-api-key': secret }, 'tools/call', { name, arguments: args });

const long = (length: number) => 'x'.repeat(length);

describe('hostile but well-formed arguments cause a tool error, not a protocol error', () => {
  test.each<[string, string, Record<string, unknown>]>([
    [
      'padding to a billion characters',
      'json_query',
      { json: '"x"', query: "pad_left(@, `1e9`, 'x')" },
    ],
    [
      'many replacements by a long string',
      'json_query',
      { json: `"${long(190_000)}"`, query: "replace(@, 'x', @)" },
    ],
    [
      'a string joined with itself',
      'json_query',
      { json: `"${long(190_000)}"`, query: "join(@, split(@, ''))" },
    ],
    [
      'many references to one long link',
      'markdown_to_html',
      { markdown: `[a]: /${long(100_000)}\n\n${'[a] '.repeat(24_000)}` },
    ],
    [
      'many rows with one long column name',
      'csv_to_json',
      { csv: `${long(100_000)}\n${'1\n'.repeat(49_000)}` },
    ],
    [
      'a schema of another draft',
      'json_validate',
      { json: '1', schema: '{"$schema":"http://json-schema.org/draft-04/schema#"}' },
    ],
    ['a schema of an unknown draft', 'json_validate', { json: '1', schema: '{"$schema":"x"}' }],
  ])('%s: %s (Tool result error, rel:S14)', async (_what, name, args) => {
    const { body } = await call(name, args);

    expect(body.error).toBeUndefined();
    expect(body.result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: expect.any(String), message: expect.any(String) } },
    });
  });
});

describe('a result conforms to its output schema', () => {
  test.each(['constructor', 'toString', '__proto__', 'a.constructor'])(
    'json_query of an object without %j is null: prototype properties are not read',
    async (query) => {
      const { body } = await call('json_query', { json: '{"a": {}}', query });

      expect(body.result.structuredContent).toEqual({ result: null });
    },
  );
});

describe('web_fetch reaches only public addresses (rel:B8-1, rel:B8-2)', () => {
  test.each([
    'https://127.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://①②⑦.⓪.⓪.①/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'http://example.com/',
    'https://user:pw@example.com/',
  ])('%s causes a tool error', async (url) => {
    const { body } = await call('web_fetch', { url });

    const code = body.result.structuredContent.error?.code;
    expect(['address_not_public', 'url_not_allowed']).toContain(code);
  });
});
