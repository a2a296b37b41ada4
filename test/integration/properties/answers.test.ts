import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CAPABILITIES } from '../../support/worlds/worlds.ts';
import { buildOrganization } from './built-organization.ts';
import { oracleWorld } from './organization-comparison.ts';
import { ALL, createReach, fullOrganization } from './organization-policies.ts';
import { createReader } from './reader.ts';
import type { Reader } from './reader.ts';
import { builtIns, createStage, twins } from './stage.ts';
import type { Stage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage(3);
});
afterAll(() => stage.close());

const CLIENTS = 200;

/** A client of a key, with the marker in the items it reads and the URI of its resource. */
interface Client {
  marker: string;
  uri: string;
  reader: Reader;
}

/** A request that is unique in the test, and the text that only its response contains. */
interface UniqueRequest {
  method: string;
  params: Record<string, unknown>;
  expectedText: string;
}
const uniqueRequests: readonly ((tag: number, client: Client) => UniqueRequest)[] = [
  (tag) => ({
    method: 'tools/call',
    params: { name: 'calculator', arguments: { expression: `${tag} + 1` } },
    expectedText: String(tag + 1),
  }),
  (tag, { marker }) => ({
    method: 'prompts/get',
    params: { name: 'brief', arguments: { about: `number ${tag}` } },
    expectedText: `Written by ${marker} about number ${tag}.`,
  }),
  (_, { marker, uri }) => ({
    method: 'resources/read',
    params: { uri },
    expectedText: `Written by ${marker}.`,
  }),
];

/** Sends concurrent requests of all clients, and expects that each gets its own response. */
async function expectOwnResponses(clients: readonly Client[]) {
  const request = fc.record({ client: fc.nat(), question: fc.nat(), at: fc.nat() });
  const requests = fc.array(request, { minLength: CLIENTS, maxLength: CLIENTS });
  await checkProperty(
    2,
    fc.asyncProperty(requests, async (picks) => {
      await Promise.all(
        picks.map(async ({ client: index, question, at }, number) => {
          const client = clients[index % clients.length]!;
          const ask = uniqueRequests[question % uniqueRequests.length]!;
          const { method, params, expectedText } = ask(10_000 + 7 * number, client);
          const response = await client.reader.exchange(stage.gateways[at % 2]!, method, params);
          expect(response.body, response.text).toMatchObject({ id: 1 });
          expect(response.text).toContain(expectedText);
        }),
      );
    }),
  );
}

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
          const { marker } = built.tenants[who]!;
          clients.push({ marker, uri: 'toolgate://me/notes', reader: createReader(secret, era) });
        }
      await expectOwnResponses(clients);
    });
  },
  scaledTimeout(60_000),
);

test(
  'so do requests of keys in organizations, whose items have equal names (P5)',
  async () => {
    const clients: Client[] = [];
    for (const owner of stage.tenants) {
      const built = await buildOrganization({ owner, members: [] }, fullOrganization, {
        joins: { add: async () => {} },
        ...{ oracleWorld, upstream: stage.upstream },
      });
      const key = await createReach(built);
      await key.set({
        ...{ capabilities: CAPABILITIES, teams: null, selected: builtIns, wide: [] },
        ...{ isCatalogWide: true, policies: [ALL(), ALL()] },
      });
      const { marker } = built.catalog;
      for (const era of ['2025', '2026'] as const)
        clients.push({
          marker,
          uri: 'toolgate://org/notes',
          reader: createReader(key.secret, era),
        });
    }
    await expectOwnResponses(clients);
  },
  scaledTimeout(90_000),
);
