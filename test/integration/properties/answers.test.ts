import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReader } from './reader.ts';
import type { Reader } from './reader.ts';
import { createStage, twins } from './stage.ts';
import type { Stage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage(3);
});
afterAll(() => stage.close());

const CLIENTS = 200;

interface Client {
  who: number;
  reader: Reader;
}

/** A request that is unique in the test, and the text that only its response contains. */
interface UniqueRequest {
  method: string;
  params: Record<string, unknown>;
  expectedText: (marker: string) => string;
}
const uniqueRequests: readonly ((tag: number) => UniqueRequest)[] = [
  (tag) => ({
    method: 'tools/call',
    params: { name: 'calculator', arguments: { expression: `${tag} + 1` } },
    expectedText: () => String(tag + 1),
  }),
  (tag) => ({
    method: 'prompts/get',
    params: { name: 'brief', arguments: { about: `number ${tag}` } },
    expectedText: (marker) => `Written by ${marker} about number ${tag}.`,
  }),
  () => ({
    method: 'resources/read',
    params: { uri: 'toolgate://me/notes' },
    expectedText: (marker) => `Written by ${marker}.`,
  }),
];

test(
  'two hundred concurrent requests with the same request id each get their own response (P5)',
  async () => {
    await stage.inWorld(twins(3), async (built) => {
      const clients: Client[] = [];
      for (const who of [0, 1, 2])
        for (const era of ['2025', '2026'] as const) {
          const capabilities = ['tools', 'prompts', 'resources'];
          const key = { who, capabilities, policies: {}, permissions: null, defaultAgent: null };
          const { secret } = await built.create(stage.gateways[0], key);
          clients.push({ who, reader: createReader(secret, era) });
        }
      const request = fc.record({ client: fc.nat(), question: fc.nat(), at: fc.nat() });
      const requests = fc.array(request, { minLength: CLIENTS, maxLength: CLIENTS });
      await checkProperty(
        2,
        fc.asyncProperty(requests, async (picks) => {
          await Promise.all(
            picks.map(async ({ client, question, at }, number) => {
              const { who, reader } = clients[client % clients.length]!;
              const tag = 10_000 + 7 * number;
              const { method, params, expectedText } =
                uniqueRequests[question % uniqueRequests.length]!(tag);
              const response = await reader.exchange(stage.gateways[at % 2]!, method, params);
              expect(response.body, response.text).toMatchObject({ id: 1 });
              expect(response.text).toContain(expectedText(built.tenants[who]!.marker));
            }),
          );
        }),
      );
    });
  },
  scaledTimeout(60_000),
);
