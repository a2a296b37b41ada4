import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchLines } from '../../../src/catalog/search-lines.ts';
import { createLists } from '../../../src/mcp/lists/lists.ts';
import { createGrep } from '../../../src/mcp/management/grep.ts';
import { createManagement } from '../../../src/mcp/management/management.ts';
import type { Verb } from '../../../src/mcp/management/context.ts';
import type { Call, CachedText } from '../../../src/mcp/protocol/call.ts';
import { fullText } from '../../../src/mcp/protocol/call.ts';
import { createCursors } from '../../../src/mcp/protocol/cursor.ts';
import { addressOf } from '../../../src/visibility/visibility.ts';
import type { View } from '../../../src/visibility/visibility.ts';
import {
  families,
  placeOf,
  red,
  teamWith,
  viewOf,
  visibility,
} from '../visibility/fixture-places.ts';

const everything = {
  designated: new Set<string>(),
  teams: [teamWith(viewOf([placeOf(red, null)]).policies)],
};
const viewWith = (catalog: string[], team: string[], member: string[]): View =>
  viewOf([
    placeOf({ kind: 'organization' }, everything, catalog),
    placeOf(red, null, team),
    placeOf({ kind: 'member' }, null, member),
  ]);
const callOf = (view: View, params: object): Call =>
  ({
    view: async () => view,
    params,
    caller: {
      ...{ credential: { id: 'key' }, quota_owner: { id: 'acme' }, person: 'mia' },
      ...{ organization: { id: 'organization' }, context: 'membership:organization.mia' },
      scopes: [{ kind: 'membership', id: 'member' }],
    },
  }) as never;

const cursors = createCursors([Buffer.alloc(32, 7)]);
const itemsOf = (family: string) => ({
  kind: { family },
  listed: ({ id, space_id }: { id: string; space_id: string }) => ({ id, space_id }),
  get: async (space_id: string, id: string) => ({ id, space_id }),
});
const management = createManagement({
  visibility,
  items: {
    prompt: itemsOf('prompt'),
    agent: itemsOf('agent'),
    resource: itemsOf('resource'),
    custom_tool: itemsOf('tool'),
  } as never,
  catalog: { promptById: () => undefined },
  cursors,
});
const nouns = {
  tool: 'custom_tool',
  prompt: 'prompt',
  resource: 'resource',
  agent: 'agent',
} as const;
type Family = keyof typeof nouns;
const perform = (verb: Verb, family: Family, view: View, input: object) =>
  management.perform(verb, nouns[family], callOf(view, {}), input as never);

// Some of these are percent-encoded in a URI, which changes their order.
const name = fc.constantFrom('a', 'b', 'a/b', 'é', '~', 'z');
const names = fc.uniqueArray(name);

const view = fc.tuple(names, names, names).map((all) => viewWith(...all));

type Page = { shown: string[]; next: string | null | undefined };

/** Returns the entries of all pages in order. */
async function allPages(read: (cursor: string | undefined) => Promise<Page>): Promise<string[]> {
  const all: string[] = [];
  let cursor: string | undefined;
  do {
    const { shown, next } = await read(cursor);
    all.push(...shown);
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return all;
}

const addressesOf = (seen: View, family: Family) => visibility.list(seen, family).map(addressOf);

test.each([
  ['tools', 'tool', 'name'],
  ['prompts', 'prompt', 'name'],
  ['resources', 'resource', 'uri'],
] as const)(
  'pages of %s/list over several places show each item once, in order',
  async (...row) => {
    const [list, family, address] = row;
    const lists = createLists({ visibility, systemTools: [], cursors, pageItems: 2 });
    await fc.assert(
      fc.asyncProperty(view, async (seen) => {
        const shown = await allPages(async (cursor) => {
          const reply = await lists[list](callOf(seen, { cursor }));
          const result = JSON.parse(fullText((reply as { cached: CachedText }).cached));
          const page = result[list] as Record<string, string>[];
          return { shown: page.map((one) => one[address]!), next: result.nextCursor };
        });

        expect(shown).toEqual(addressesOf(seen, family));
        expect(shown).toEqual([...new Set(shown)].toSorted(byCode));
      }),
    );
  },
);

test.each(families)('pages of %ss in a management list show each item once', async (family) => {
  await fc.assert(
    fc.asyncProperty(view, async (seen) => {
      const ids = await allPages(async (cursor) => {
        const page = await perform('list', family, seen, { body: { limit: 2, cursor } });
        const { data, next_cursor } = page as { data: { id: string }[]; next_cursor: string };
        return { shown: data.map(({ id }) => id), next: next_cursor };
      });

      expect(ids).toEqual(visibility.list(seen, family).map(({ id }) => id));
    }),
  );
});

test.each(families)(
  'the management tool that gets a %s reads it from the space of the item',
  async (family) => {
    const seen = viewWith(['x'], ['x'], ['x']);
    const read = visibility
      .list(seen, family)
      .map(({ id }) => perform('get', family, seen, { target: { id } }));

    expect((await Promise.all(read)).toSorted(bySpace)).toEqual(
      [
        ['member', 'me'],
        ['organization', 'organization'],
        ['team', 'red'],
      ].map(([space_id, space]) =>
        expect.objectContaining({ id: `${family} x of ${space_id}`, space_id, space }),
      ),
    );
  },
);

test('a search reports each space in which a path has a match', async () => {
  const readResource = async ({ id }: { id: string }) => ({ text: `found in ${id}` }) as never;
  const grep = createGrep({ visibility, readResource });
  const workers = {
    compute: async ({ input }: { input: unknown }) => searchLines.compute(input),
  };
  const requirePermitted = async () => {};
  const context = { workers, requirePermitted, now: () => new Date() } as never;
  const seen = viewWith(['x'], ['x'], ['x']);
  const body = { pattern: 'found', max_matches: 9, ignore_case: false };

  expect((await grep(callOf(seen, {}), seen, { body } as never, context)).matches).toEqual(
    Object.entries({ member: 'me', organization: 'org', team: 'team/red' }).map(
      ([spaceId, uriPrefix]) => ({
        ...{ path: 'x', uri: `toolgate://${uriPrefix}/x`, line: 1 },
        text: `found in resource x of ${spaceId}`,
      }),
    ),
  );
});

const byCode = (one: string, other: string) => (one < other ? -1 : 1);
const bySpace = (one: unknown, other: unknown) =>
  byCode((one as Space).space_id, (other as Space).space_id);
type Space = { space_id: string };
