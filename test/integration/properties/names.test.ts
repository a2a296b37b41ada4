import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentOf, itemPath } from './item-content.ts';
import { createReader } from './reader.ts';
import { createStage, twins } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const stage = await closeAfterTests(createStage(1));

const NO_ITEMS = { items: [], selected: { tools: [], prompts: [] } };
const emptyWorld = { ...twins(0), accounts: [NO_ITEMS] };

const ordinaryUnits = [
  'a',
  'B',
  '1',
  '-',
  '_',
  '.',
  ' ',
  'é',
  'e\u0301',
  'Å',
  '\u212B',
  'ﬁ',
  '日',
  '🙂',
];
const unusualUnits = [
  '/',
  '\u200B',
  '\u202E',
  '\u0000',
  '\n',
  '\uD800',
  '"',
  '%',
  '%2e',
  '#',
  '?',
  '..',
];
const text = (units: readonly string[], maxLength = 8) =>
  fc.string({ unit: fc.constantFrom(...units), minLength: 1, maxLength });
const anyName = fc.oneof(text(ordinaryUnits), text([...ordinaryUnits, ...unusualUnits]));
const anyPath = fc.array(
  fc.oneof(text(ordinaryUnits, 4), text([...ordinaryUnits, ...unusualUnits], 4)),
  {
    minLength: 1,
    maxLength: 3,
  },
);

interface Created {
  id: string;
  name: string;
  path: string;
}

test(
  'a key’s name is returned normalized and trimmed, and is then taken in every Unicode form (K1, P17)',
  async () => {
    const [gateway] = stage.gateways;
    await stage.inWorld(emptyWorld, async (built) => {
      await checkProperty(
        20,
        fc.asyncProperty(anyName, async (name) => {
          const post = (spelling: string) =>
            built.send<Created>(gateway, 0, {
              path: '/api/keys',
              body: { name: spelling, mcp_capabilities: [] },
            });
          const { status, body } = await post(name);
          expect([201, 400], JSON.stringify(name)).toContain(status);
          if (status === 400) return;
          const path = `/api/keys/${body.id}`;

          const read = await built.requireStatus<Created>(gateway, 0, 200, { path });
          const stored = name.normalize('NFC').trim();
          expect([read.name, body.name]).toEqual([stored, stored]);
          for (const form of ['NFC', 'NFD'] as const)
            for (const spelling of [name, stored, ` ${stored} `])
              expect((await post(spelling.normalize(form))).status, 'it is taken').toBe(409);
          await built.requireStatus(gateway, 0, 204, { method: 'DELETE', path });
        }),
      );
    });
  },
  scaledTimeout(60_000),
);

test(
  'patterns are returned in NFC and in the same order (P17)',
  async () => {
    const [gateway] = stage.gateways;
    await stage.inWorld(emptyWorld, async (built) => {
      const body = { name: `key ${randomUUID()}`, mcp_capabilities: [] };
      const { id } = await built.requireStatus<Created>(gateway, 0, 201, {
        path: '/api/keys',
        body,
      });
      const path = `/api/keys/${id}`;
      const wild = [...ordinaryUnits, '*', '?', '**', '/'];
      const patterns = fc.uniqueArray(fc.oneof(text(wild), text([...wild, ...unusualUnits])), {
        minLength: 1,
        maxLength: 4,
      });
      await checkProperty(
        40,
        fc.asyncProperty(
          patterns,
          fc.constantFrom('whitelist', 'blacklist'),
          async (sent, mode) => {
            const resource_policy = { mode, patterns: sent };
            const request = { method: 'PATCH', path, body: { resource_policy } };
            const { status } = await built.send(gateway, 0, request);
            expect([200, 400, 422], JSON.stringify(sent)).toContain(status);
            if (status !== 200) return;

            const read = await built.requireStatus<{ resource_policy: object }>(gateway, 0, 200, {
              path,
            });
            const forms = sent.map((pattern) => pattern.normalize('NFC'));
            expect(read.resource_policy).toEqual({ mode, patterns: forms });
          },
        ),
      );
      await built.requireStatus(gateway, 0, 204, { method: 'DELETE', path });
    });
  },
  scaledTimeout(60_000),
);

test(
  'a path is returned in NFC over REST, is readable over MCP, and is then taken (P17)',
  async () => {
    const [gateway, other] = stage.gateways;
    await stage.inWorld(emptyWorld, async (built) => {
      const { marker } = built.tenants[0]!;
      const key = { who: 0, capabilities: ['resources'], policies: {}, permissions: null };
      const { secret } = await built.create(gateway, { ...key, defaultAgent: null });
      const reader = createReader(secret, '2026');
      await checkProperty(
        20,
        fc.asyncProperty(anyPath, async (parts) => {
          const post = (name: string) =>
            built.send<Created>(gateway, 0, {
              path: itemPath('resources'),
              body: contentOf('resources', {
                name,
                marker,
                components: [],
                upstream: stage.upstream,
              }),
            });
          const joinedPath = parts.join('/');
          const { status, body } = await post(joinedPath);
          expect([201, 400], JSON.stringify(joinedPath)).toContain(status);
          if (status === 400) return;
          const path = `${itemPath('resources')}/${body.id}`;

          const read = await built.requireStatus<Created>(gateway, 0, 200, { path });
          expect([read.path, body.path]).toEqual([
            joinedPath.normalize('NFC'),
            joinedPath.normalize('NFC'),
          ]);
          for (const form of ['NFC', 'NFD'] as const)
            expect((await post(joinedPath.normalize(form))).status, 'it is taken').toBe(409);
          const list = await reader.exchange(other, 'resources/list', {});
          const [listed] = list.body.result!.resources!;
          const shown = await reader.exchange(other, 'resources/read', { uri: listed!.uri });
          expect(shown.text, `what is listed as ${listed!.uri} can be read`).toContain(marker);
          await built.requireStatus(gateway, 0, 204, { method: 'DELETE', path });
        }),
      );
    });
  },
  scaledTimeout(60_000),
);

test.each(['prompts', 'agents', 'tools'] as const)(
  'names of %s follow decisions.md 3, are returned unchanged, and are then taken (P17)',
  async (family) => {
    const [gateway] = stage.gateways;
    await stage.inWorld(emptyWorld, async (built) => {
      const { marker } = built.tenants[0]!;
      const plain = fc.string({
        unit: fc.constantFrom('a', 'z', '0', '9', '_', '-'),
        minLength: 1,
        maxLength: 66,
      });
      await checkProperty(
        20,
        fc.asyncProperty(fc.oneof(plain, anyName), async (name) => {
          const isAllowed = /^[a-z0-9_-]{1,64}$/.test(name) && !name.includes('__');
          const request = {
            path: itemPath(family),
            body: contentOf(family, { name, marker, components: [], upstream: stage.upstream }),
          };
          const { status, body } = await built.send<Created>(gateway, 0, request);
          expect(status, JSON.stringify(name)).toBe(isAllowed ? 201 : 400);
          if (!isAllowed) return;
          const path = `${itemPath(family)}/${body.id}`;

          expect((await built.requireStatus<Created>(gateway, 0, 200, { path })).name).toBe(name);
          expect((await built.send(gateway, 0, request)).status, 'it is taken').toBe(409);
          await built.requireStatus(gateway, 0, 204, { method: 'DELETE', path });
        }),
      );
    });
  },
  scaledTimeout(60_000),
);
