import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Drift } from '../../../src/authz/drift/drift.ts';
import type { OraclePolicy } from '../../oracle/world.ts';
import { createPerson } from '../../support/people/people.ts';
import { anyCapabilities, anyPolicy, anyTools, createActor } from './agents-reach.ts';
import type { Actor } from './agents-reach.ts';
import { createCutOffWorld } from './cut-off.ts';
import type { CutOffWorld } from './cut-off.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

let cutOff: CutOffWorld;
let actors: Actor[];
beforeAll(async () => {
  cutOff = await createCutOffWorld();
  const { world, gateways } = cutOff;
  actors = await Promise.all([1, 2].map(() => createActor(world, gateways[0])));
});
afterAll(() => cutOff?.close());

const grants = fc
  .subarray(['can_view_tools', 'can_create_resources', 'can_update_prompts', 'can_view_usage'])
  .map((permissions) => [{ scope: { type: 'personal' }, permissions }]);
const draft = fc.record({
  // Few names, so that concurrent commands conflict on them (K1).
  name: fc.constantFrom('one', 'two', 'three'),
  mcp_capabilities: anyCapabilities,
  tool_policy: anyPolicy,
  grants: fc.oneof(fc.constant([]), grants),
});
const edit = fc.record(
  { mcp_capabilities: anyCapabilities, tool_policy: anyPolicy, grants },
  { requiredKeys: [] },
);
const who = fc.nat({ max: 1 });
const at = fc.nat({ max: 1 });
const key = fc.nat({ max: 9 });

type Command = { who: number; at: number } & (
  | { does: 'create'; draft: { name: string; tool_policy: OraclePolicy } }
  | { does: 'edit'; key: number; edit: object }
  | { does: 'revoke'; key: number }
  | { does: 'select'; tools: string[] }
);
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ who, at, does: fc.constant('create' as const), draft }),
  fc.record({ who, at, does: fc.constant('edit' as const), key, edit }),
  fc.record({ who, at, does: fc.constant('revoke' as const), key }),
  fc.record({ who, at, does: fc.constant('select' as const), tools: anyTools }),
);
/** Commands that run concurrently; in some rounds one gateway is cut off from OpenFGA. */
const round = fc.record({
  commands: fc.array(command, { minLength: 1, maxLength: 5 }),
  isCutOff: fc.boolean(),
});

// Name conflicts, concurrently revoked keys and outages are valid, but every command is atomic.
const VALID_STATUSES = new Set([200, 201, 204, 404, 409, 503]);

async function runCommand(one: Command, ids: readonly (readonly string[])[]): Promise<void> {
  const { person, bearer } = actors[one.who]!;
  const own = ids[one.who]!;
  const target = own[('key' in one ? one.key : 0) % Math.max(1, own.length)] ?? one.who;
  const request = {
    create: () => ({ path: '/api/keys', body: 'draft' in one ? one.draft : null }),
    edit: () => ({
      method: 'PATCH',
      path: `/api/keys/${target}`,
      body: 'edit' in one ? one.edit : null,
    }),
    revoke: () => ({ method: 'DELETE', path: `/api/keys/${target}` }),
    select: () => ({
      method: 'PUT',
      path: '/api/me/mcp-settings',
      body: { tools: 'tools' in one ? one.tools : [], platform_prompts: [] },
    }),
  }[one.does]();
  const client = createPerson(cutOff.gateways[one.at]!.url, person.address);
  const { status, body } = await client.ask({ ...request, headers: bearer });
  if (!VALID_STATUSES.has(status))
    throw new Error(`${request.path}: ${status} ${JSON.stringify(body)}`);
}

const idsOf = async (account: string) => {
  const rows = await cutOff.world.query<{ id: string }>(
    'SELECT id FROM api_key WHERE account_id = $1 AND revoked_at IS NULL ORDER BY id',
    [account],
  );
  return rows.map(({ id }) => id);
};

test(
  'once all changes are applied, the tuples match the rows, despite any races and outages (P10)',
  async () => {
    await checkProperty(
      8,
      fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 6 }), async (rounds) => {
        for (const { commands, isCutOff } of rounds) {
          const ids = await Promise.all(actors.map(({ account_id }) => idsOf(account_id)));
          await cutOff.run(
            isCutOff,
            commands.map((one) => () => runCommand(one, ids)),
          );
        }
        const { world, gateways, waitUntilApplied } = cutOff;
        await waitUntilApplied();

        const drift: Drift[] = await Array.fromAsync(gateways[0].service.drift({ repair: false }));
        expect(drift).toEqual([]);
        expect(await world.query('SELECT id FROM authz_outbox WHERE applied_at IS NULL')).toEqual(
          [],
        );
        for (const actor of actors)
          for (const id of await idsOf(actor.account_id)) await actor.revoke(gateways[0], id);
      }),
    );
  },
  scaledTimeout(60_000),
);
