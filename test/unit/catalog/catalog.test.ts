import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { catalog, createCatalog } from '../../../src/catalog/catalog.ts';
import { createToolContext } from './tool-context.ts';

const context = createToolContext();
const ajv = new Ajv2020({ strict: true, allErrors: true, strictTypes: false });
afterAll(() => context.workers.close());

test('the ids and names of built-in tools never change', () => {
  const names = Object.fromEntries(catalog.tools().map(({ id, name }) => [name, id]));

  expect(names).toMatchInlineSnapshot(`
    {
      "calculator": "5b28a882-a0c9-49b3-9e0e-4a6f29780738",
      "color_convert": "689ea454-8eaa-42e1-8800-48f0d52c36df",
      "convert_time_zone": "6332ad35-94ce-4354-b970-949df16d840c",
      "convert_units": "39cee296-57cd-412d-8b54-abd2975e605c",
      "cron_next": "f538e6b7-595e-4fcf-8fe4-f83d3e740d23",
      "csv_to_json": "ec949579-50cd-4d5f-a589-dd004e920dad",
      "current_time": "9fdcfddd-3968-48af-a0a8-1061763d30c3",
      "date_arithmetic": "9b89b4b9-5bc8-4247-bf0f-d78e840d64bc",
      "encode_decode": "edf616d9-d356-4083-af79-a4093e48b354",
      "hash": "7db3b907-7764-4776-85b2-0efe6c3dc6a5",
      "html_to_markdown": "dfa51dbf-5000-40fb-aea6-7575b49059bf",
      "json_diff": "e6011aa0-d1ca-4694-9c37-4f3427b916e6",
      "json_query": "b54afdec-c384-4308-9f71-5f1742c70049",
      "json_validate": "6ed324d9-4088-4f5f-ba5b-e300afa90cae",
      "markdown_to_html": "408176e9-5cdd-448e-bf3c-65c229b45ad5",
      "random_number": "63ec09f4-a06c-4001-8a95-303c79f7df08",
      "regex_extract": "2950c2cd-fb69-4048-b13f-5d2e5fce5eef",
      "semver_compare": "b23ee392-54be-450a-862e-1e486e816840",
      "text_diff": "5a9e964e-4a34-4109-9090-c7927d75518b",
      "text_statistics": "6c472573-12fa-4283-8a09-aac32bcfeabd",
      "uuid": "aa54e767-50b3-4289-b899-0382ab7d2baf",
      "web_fetch": "f03a37cf-0902-42e2-9dad-f8e3194dadc2",
      "yaml_to_json": "aa013323-54c9-4649-b749-7b33738e0f00",
    }
  `);
});

test('a tool is found only by its id', () => {
  const [first] = catalog.tools();

  expect(catalog.toolById(first?.id ?? '')).toBe(first);
  expect(catalog.toolById(first?.name ?? '')).toBeUndefined();
  expect(catalog.toolById('constructor')).toBeUndefined();
});

test('two tools with the same name or id are refused', () => {
  const [first, second] = catalog.tools();
  if (!first || !second) throw new Error('The catalog is empty.');

  expect(() => createCatalog([first, { ...second, name: first.name }])).toThrow();
  expect(() => createCatalog([first, { ...second, id: first.id }])).toThrow();
});

test('the version changes with what a list shows, but not with the order of items', () => {
  const tools = catalog.tools();
  const renamed = tools.map((tool) => ({ ...tool, description: `${tool.description}.` }));

  const prompts = catalog.prompts();
  const retitled = prompts.map((prompt) => ({ ...prompt, title: `${prompt.title}.` }));

  const reversed = createCatalog(tools.toReversed(), prompts.toReversed());
  expect(reversed.version).toBe(catalog.version);
  expect(createCatalog(renamed, prompts).version).not.toBe(catalog.version);
  expect(createCatalog(tools, retitled).version).not.toBe(catalog.version);
});

describe.each(catalog.tools().map((tool) => [tool.name, tool] as const))('%s', (_name, tool) => {
  test('has what an agent needs to choose it', () => {
    expect(tool.name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
    expect(tool.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
    expect(tool.title.length).toBeGreaterThan(3);
    expect(tool.description.length).toBeGreaterThan(80);
    expect(tool.description).toContain('xample');
    expect(tool.annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: expect.any(Boolean) as boolean,
      openWorldHint: tool.name === 'web_fetch',
    });
    expect(tool.timeout_ms).toBeLessThanOrEqual(60_000);
    expect(tool.examples.length).toBeGreaterThanOrEqual(2);
  });

  test('accepts an object without unknown fields, with every text and integer bounded', () => {
    expect(tool.input_schema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(tool.output_schema).toMatchObject({ type: 'object' });
    expect(JSON.stringify(tool.input_schema)).not.toContain('"default"');
    expect(unboundedFields(tool.input_schema)).toEqual([]);
  });

  test.each(tool.examples.map((example) => [example.title, example] as const))(
    'matches its example: %s',
    async (_title, example) => {
      expect(ajv.validate(tool.input_schema, example.arguments), ajv.errorsText()).toBe(true);

      const answer = tool.run(example.arguments, context);

      if (example.error !== undefined)
        return expect(answer).rejects.toMatchObject({ name: 'ToolFailure', code: example.error });
      const result = await answer;
      expect(ajv.validate(tool.output_schema, result), ajv.errorsText()).toBe(true);
      if (example.result !== undefined) expect(result).toEqual(example.result);
    },
  );
});

interface Field {
  type?: string;
  enum?: unknown[];
  maxLength?: number;
  maximum?: number;
}

function unboundedFields(schema: Record<string, unknown>): string[] {
  const fields = Object.entries(schema['properties'] as Record<string, Field>);
  return fields.flatMap(([name, { type, ...bounds }]) => {
    const isBounded =
      bounds.enum !== undefined ||
      type === 'boolean' ||
      type === 'number' ||
      (type === 'integer' && bounds.maximum !== undefined) ||
      (type === 'string' && bounds.maxLength !== undefined);
    return isBounded ? [] : [name];
  });
}
