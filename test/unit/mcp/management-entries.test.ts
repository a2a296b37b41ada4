import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { catalog, createCatalog } from '../../../src/catalog/catalog.ts';
import { grepEntry } from '../../../src/mcp/management/grep.ts';
import { managementEntries } from '../../../src/mcp/management/entries.ts';

const tools = [...managementEntries.map(({ tool }) => tool), grepEntry];

test('the ids and names of management tools never change', () => {
  expect(Object.fromEntries(tools.map(({ id, name }) => [name, id]))).toMatchInlineSnapshot(`
    {
      "create_agent": "414536a7-741f-4660-a628-62aebc183cd4",
      "create_custom_tool": "002b6b78-f902-4c45-b57a-e7e7f08d1271",
      "create_prompt": "0e7521dd-426b-4457-9778-5311d29b4043",
      "create_resource": "d43b9e61-7b55-4797-b2c2-937266546a1c",
      "delete_agent": "5d8b0339-37ef-461e-9b97-d4c3021283b0",
      "delete_custom_tool": "6bd23615-0061-4867-b27d-c5b3adcbc39c",
      "delete_prompt": "d7bd62e9-0349-466a-befa-47cc8862fd08",
      "delete_resource": "c1e9a42e-0fed-45d1-a1b0-9ba84f67ee7b",
      "get_agent": "93ded030-ff38-4154-8042-9ea3393b838d",
      "get_custom_tool": "6ef95c01-5ad2-482d-acf5-2e0588acb4df",
      "get_prompt": "f1b19dfd-2881-42e4-a065-6c5191aaf58f",
      "get_resource": "ebc00748-78b7-4272-b6d1-9acfad9ea26a",
      "grep_resource": "2a03cedf-115c-4e8a-9d94-a894ae8d6c90",
      "list_agents": "c087d90b-dc7a-43f8-b6f8-f2323d8ae41d",
      "list_custom_tools": "5764fcf4-777c-49d2-bfa7-029af2696376",
      "list_prompts": "a86b2f8d-d2f5-4530-8515-fce6eba76bb1",
      "list_resources": "016896ef-4600-4d47-b9c4-4af86ba90b3a",
      "patch_agent": "2787f498-98fb-4078-9e72-4d3e0a54b596",
      "patch_custom_tool": "96d0d1d3-a2b1-40c4-a36a-0362cea0fbb4",
      "patch_prompt": "bdc2d1fd-025d-4014-9d9f-a46eb37059df",
      "patch_resource": "7937cbf7-55b4-4b2d-91e7-e9af7cfddec0",
      "update_agent": "44299b4c-774a-45be-949f-554d563fda04",
      "update_custom_tool": "e88a0f28-ce79-43c9-b80e-57ef392c3190",
      "update_prompt": "5cf3b878-add8-4128-a7ad-a41bf8b7c506",
      "update_resource": "d6326584-2dd7-4c27-a0c9-366c4875cb4d",
    }
  `);
});

test('built-in and management tools share neither ids nor names', () => {
  expect(createCatalog([...catalog.tools(), ...tools]).tools()).toHaveLength(
    catalog.tools().length + tools.length,
  );
});

describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });

  test('accepts one flat object without unknown fields, and declares its output', () => {
    expect(tool.input_schema).toMatchObject({ type: 'object', additionalProperties: false });
    for (const union of ['oneOf', 'anyOf', 'allOf'])
      expect(tool.input_schema).not.toHaveProperty(union);
    expect(tool.output_schema).toMatchObject({ type: 'object' });
    ajv.compile(tool.input_schema);
    ajv.compile(tool.output_schema);
  });

  test('declares the items of its arrays', () => {
    const schema = JSON.stringify(tool.input_schema);
    expect(schema).not.toContain('"items":{}');
    if (/^(?:create|update|patch)_prompt$/.test(name)) expect(schema).toContain('"assistant"');
  });

  test('needs a permission if and only if it writes', () => {
    expect(tool.requires?.permission !== undefined).toBe(!tool.annotations.readOnlyHint);
  });
});
