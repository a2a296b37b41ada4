import { expect, test } from 'vitest';
import { pinOf } from '../../../src/content/upstreams/pin.ts';

const tool = {
  name: 'send',
  title: 'Send',
  description: 'Sends an e-mail.',
  input_schema: { type: 'object', properties: { to: { type: 'string' }, text: {} } },
  output_schema: null,
  annotations: { destructiveHint: false },
};

test('the pin changes with every field an upstream sends about a tool (rel:B8-8)', () => {
  const changes = [
    { name: 'sent' },
    { title: null },
    { description: 'Sends an e-mail. ' },
    { input_schema: { type: 'object', properties: { to: { type: 'string' }, text: {}, cc: {} } } },
    { output_schema: {} },
    { annotations: { destructiveHint: true } },
    { annotations: {} },
    { input_schema: { type: ['object'] } },
  ];

  const pins = [tool, ...changes.map((change) => ({ ...tool, ...change }))].map(pinOf);

  expect(new Set(pins).size).toBe(changes.length + 1);
});

test('the pin does not depend on the order of keys', () => {
  const { input_schema } = tool;
  const reordered = {
    annotations: { ...tool.annotations },
    input_schema: { properties: { text: {}, to: { type: 'string' } }, type: input_schema.type },
    output_schema: null,
    description: tool.description,
    title: tool.title,
    name: tool.name,
  };

  expect(pinOf(reordered)).toBe(pinOf(tool));
});
