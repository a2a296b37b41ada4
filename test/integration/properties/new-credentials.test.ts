import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { connect, disconnect } from '../../../src/connections.ts';
import { everyTeam, names, ownerOnly } from '../../support/access/permissions.ts';
import { askAs, createRole } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { CAPABILITIES } from '../../support/worlds/worlds.ts';
import { OWNER_ONLY, readAuthority } from './effective-authority.ts';
import { manyGateways } from './agents-reach.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

const TEAMS = ['red', 'blue'];
interface Team {
  id: string;
  role: string;
  seats: ReturnType<typeof seatsOf>;
}

const teams: Team[] = [];
const world = await useTeams(manyGateways);
const connections = await connect(world.gateway.config);
const { owner, id: acme } = await world.organization('green');
const path = `/api/organizations/${acme}`;
const role = (await createRole(owner, acme, { name: 'Held' })).id;
const actor = await world.join(acme, 'actor', [role]);
for (const name of TEAMS) {
  const { id } = await createTeam(owner, acme, name);
  const teamRole = await createTeamRole(owner, `${path}/teams/${id}/roles`, {
    name: `Held in ${name}`,
  });
  teams.push({ id, role: teamRole.id, seats: seatsOf(acme, id) });
}
afterAll(async () => {
  await disconnect(connections);
});

interface Content {
  permissions: readonly string[];
  capabilities: readonly string[];
}
interface ActorRoles extends Content {
  managesEvery: boolean;
  /** Content of the role in each team; null without a seat. */
  seats: readonly (Content | null)[];
}
interface Draft {
  kind: 'scoped' | 'granted' | 'organization';
  /** Indexes of permissions among those that the actor has in the organization or a team. */
  picks: readonly number[];
  extraPermission: string | null;
  capabilities: readonly string[];
  extraCapability: string | null;
  teams: readonly number[] | null;
}

const anyContent = (permissions: readonly string[]): fc.Arbitrary<Content> =>
  fc.record({
    permissions: fc.subarray([...permissions], { minLength: 2, maxLength: 6 }),
    capabilities: fc.subarray([...CAPABILITIES]),
  });
const others = names.organization.filter((name) => name !== everyTeam);
const anyActorRoles: fc.Arbitrary<ActorRoles> = fc
  .tuple(
    anyContent(others),
    fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
    fc.array(fc.option(anyContent(names.team), { freq: 4 }), { minLength: 2, maxLength: 2 }),
  )
  .map(([content, managesEvery, seats]) => ({ ...content, managesEvery, seats }));
const mostlyNull = <Value>(other: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: other });
const anyDraft: fc.Arbitrary<Draft> = fc.record({
  kind: fc.constantFrom('scoped', 'granted', 'organization'),
  picks: fc.array(fc.nat(), { maxLength: 4 }),
  extraPermission: mostlyNull(fc.constantFrom(...names.organization, ...names.team, ...ownerOnly)),
  capabilities: fc.subarray([...CAPABILITIES]),
  extraCapability: mostlyNull(fc.constantFrom(...CAPABILITIES)),
  teams: fc.option(fc.subarray([0, 1])),
});

async function requireSuccess(who: SignedUp, method: string, target: string, body?: object) {
  const answer = await askAs(who, {
    method,
    path: target,
    ...(body === undefined ? {} : { body }),
  });
  if (answer.status >= 300) throw new Error(`${target}: ${JSON.stringify(answer.body)}`);
}

/** Gives the actor's roles this content, and the actor a seat in exactly these teams. */
async function setActorRoles({ permissions, capabilities, managesEvery, seats }: ActorRoles) {
  const own = ['can_create_organization_api_keys', ...(managesEvery ? [everyTeam] : [])];
  await requireSuccess(owner, 'PATCH', `${path}/roles/${role}`, {
    permissions: [...new Set([...permissions, ...own])],
    capabilities,
  });
  for (const [index, team] of teams.entries()) {
    await team.seats.remove(owner, actor);
    const content = seats[index] ?? null;
    if (content === null) continue;
    await requireSuccess(owner, 'PATCH', `${team.seats.path}/roles/${team.role}`, { ...content });
    expect((await team.seats.add(owner, actor, [team.role])).status).toBe(201);
  }
}

/** Returns the request body of a draft; most of what it grants, the actor has somewhere. */
function bodyOf(draft: Draft, roles: ActorRoles) {
  const heldPermissions = [
    ...roles.permissions,
    ...roles.seats.flatMap((one) => one?.permissions ?? []),
  ];
  const picked = draft.picks.map((index) => heldPermissions[index % heldPermissions.length]!);
  const permissions = [
    ...new Set([...picked, ...(draft.extraPermission === null ? [] : [draft.extraPermission])]),
  ];
  const heldCapabilities = [roles, ...roles.seats].flatMap((one) => one?.capabilities ?? []);
  const extra = draft.extraCapability === null ? [] : [draft.extraCapability];
  const mcp_capabilities = CAPABILITIES.filter(
    (name) =>
      extra.includes(name) ||
      (draft.capabilities.includes(name) && heldCapabilities.includes(name)),
  );
  const team_ids = draft.teams?.map((index) => teams[index]!.id) ?? null;
  return {
    name: `key ${randomUUID()}`,
    mcp_capabilities,
    grants: [{ scope: { type: 'org', org_id: acme }, permissions }],
    ...(draft.kind === 'granted' ? {} : { team_ids }),
    ...(draft.kind === 'scoped' ? { org_scope: acme } : {}),
  };
}

/** Counts all rows that the creation of a key writes. */
const countRows = async () =>
  (
    await world.world.query<Record<string, string>>(
      `SELECT (SELECT count(*) FROM api_key) AS keys, (SELECT count(*) FROM api_key_team) AS bindings,
              (SELECT count(*) FROM audit_event) AS audit, (SELECT count(*) FROM authz_outbox) AS outbox,
              (SELECT sum(revision) FROM authz_scope) AS revisions`,
    )
  )[0];

test(
  'a new credential of any kind never has more authority than its creator, and never that of the Owner’s session; a refused one leaves no rows (P6, G2, G3, C5)',
  async () => {
    const seen = new Set<string>();
    const drafts = fc.array(anyDraft, { minLength: 10, maxLength: 10 });
    await checkProperty(
      5,
      fc.asyncProperty(anyActorRoles, drafts, async (roles, all) => {
        await setActorRoles(roles);
        const created: { subject: `${'api_key' | 'org_key'}:${string}`; teams: string[] | null }[] =
          [];
        for (const draft of all) {
          const before = await countRows();
          const isOwn = draft.kind !== 'organization';
          const body = bodyOf(draft, roles);
          const { status, body: key } = await askAs<{ id: string }>(actor, {
            path: isOwn ? '/api/keys' : `${path}/keys`,
            body,
          });
          if (status !== 503) seen.add(`${draft.kind} ${status}`);
          if (status === 201)
            created.push({
              subject: `${isOwn ? 'api_key' : 'org_key'}:${key.id}`,
              teams: draft.kind === 'granted' ? [] : (body.team_ids ?? null),
            });
          else {
            // On a busy machine an earlier change may not be in OpenFGA yet; 503 saves nothing.
            expect([422, 503], JSON.stringify(key)).toContain(status);
            expect(await countRows()).toEqual(before);
          }
        }
        const { excess, allowed } = await readAuthority(connections.engine);
        const person = { account: actor.account_id, organization: acme };
        for (const credential of created) {
          expect(excess(person, credential)).toEqual([]);
          const relations = allowed(credential.subject).map(([, relation]) => relation);
          expect(relations.length).toBeGreaterThan(0);
          expect(relations.filter((relation) => OWNER_ONLY.includes(relation))).toEqual([]);
        }
      }),
    );
    // Both outcomes must occur for each kind, or the drafts are not varied enough.
    expect([...seen].toSorted()).toEqual(
      ['granted', 'organization', 'scoped'].flatMap((kind) => [`${kind} 201`, `${kind} 422`]),
    );
  },
  scaledTimeout(120_000),
);
