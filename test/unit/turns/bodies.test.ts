import { expect, test } from 'vitest';
import { fillMessages } from '../../../src/content/prompts/template.ts';
import { pinOf } from '../../../src/content/upstreams/pin.ts';
import { checkPromptArguments } from '../../../src/mcp/calls/prompt-arguments.ts';
import { inTurns } from '../../../src/platform/concurrency/turns.ts';
import { parseJsonBody } from '../../../src/platform/http/body.ts';
import { structureFault } from '../../../src/platform/json/structure.ts';
import { stepsOf } from '../../../src/scim/operations.ts';
import { readProviderMetadata } from '../../../src/sso/saml/provider-metadata.ts';
import { heldShare } from '../../support/longest-turn.ts';

const list = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, i) => make(i));
const record = (length: number, name: (index: number) => string = (index) => `k${index}`) =>
  Object.fromEntries(list(length, (index) => [name(index), 'v']));

const many = record(49_000);

const body = (value: unknown) => {
  const bytes = Buffer.from(JSON.stringify(value));
  return () => parseJsonBody('owner', bytes);
};
const declared = [{ name: 'a', description: null, required: true }];
const limits = { levels: 100, marks: 200_000, shapes: 10_000 };
const schema = { type: 'object', 'x-items': list(33_000, () => ({ a: 1 })) };
const upstreamTool = {
  ...{ name: 'tool', title: null, description: 'A tool.', annotations: {} },
  ...{ input_schema: schema, output_schema: { type: 'object' } },
};
const metadata = (content: string) =>
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${content}</EntityDescriptor>`;
const fill = (content: string) => {
  const messages = list(20, () => ({ role: 'user' as const, content }));
  return () => inTurns('space', fillMessages(messages, { a: 'b' }, 1_000_000));
};

test('a long body is parsed in more than one turn', async () => {
  let turns = 0;
  const watch = () => {
    turns += 1;
    pending = setImmediate(watch);
  };
  let pending = setImmediate(watch);

  await body(record(49_000, (index) => `k${index}`.padEnd(38, '-')))();
  clearImmediate(pending);

  expect(turns).toBeGreaterThan(0);
});

test.each<[name: string, work: () => Promise<unknown>]>([
  ['an ordinary body', body(list(2_000, (id) => ({ id, name: 'a name' })))],
  ['a long response', () => inTurns('owner', structureFault('"'.padEnd(1_048_576), limits))],
  ['a prompt of many placeholders', fill('{{a}}'.repeat(20_000))],
  [
    'many unknown arguments of a prompt',
    async () => checkPromptArguments(declared, { arguments: many }),
  ],
  ['the pin of an upstream tool', async () => pinOf(upstreamTool)],
  [
    'a SCIM operation with many attributes',
    async () => stepsOf({ Operations: [{ op: 'add', value: many }] }),
  ],
  [
    'the metadata of an identity provider',
    async () => readProviderMetadata(metadata('<a/>'.repeat(4_900))),
  ],
  ['longer metadata', async () => readProviderMetadata(metadata('<a/>'.repeat(19_900)))],
])('an input holds the event loop no longer than one turn: %s', async (_name, work) => {
  // Whether it is accepted makes no difference.
  expect(await heldShare(() => work().catch(() => null))).toBeLessThan(1);
});
