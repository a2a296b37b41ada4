import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { examples, managementPage } from './management-page.ts';

const page = new URL('../../../docs/management-tools.md', import.meta.url).pathname;

test('docs/management-tools.md matches the generated page', async () => {
  await expect(managementPage()).toMatchFileSnapshot(page);
});

test.each(examples.map(([tool, sent]) => [tool.name, tool, sent] as const))(
  'the example of %s is accepted',
  (_name, tool, sent) => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
      tool.input_schema,
    );

    expect(validate(sent)).toBe(true);
    expect(() => tool.parse!(sent)).not.toThrow();
  },
);
