import pg from 'pg';
import { createEngine } from '../../../src/authz/engine/client.ts';
import type { Engine } from '../../../src/authz/engine/client.ts';
import { capabilities } from '../../../src/authz/permissions.ts';
import { modern } from '../messages.ts';
import type { Target } from '../targets.ts';
import { timeBeyond, timeInTurns, timeRatio } from '../timings.ts';
import type { Operation, Timing } from '../timings.ts';
import { requestUntil } from './people.ts';
import type { Measured } from './people.ts';
import type { Sized } from './sized.ts';

/**
 * Measures calls without cached decisions in organizations of several sizes. The decision is what
 * such a call takes longer than a warm call; the BatchCheck of each call is also sent directly to
 * OpenFGA, to measure the server's share of it. Before each call, the person's scopes get new
 * nonces, as after a change of authority; for some calls, the organization's too.
 */
export async function measureCold(
  on: Measured,
  sized: readonly Sized[],
  { modelId, rounds }: { modelId: string; rounds: number },
): Promise<{ timings: Timing[]; targets: Target[] }> {
  const engine = createEngine({ ...on.deployment.openfga, modelId, deadlineMs: 5_000 });
  const rows = new pg.Client({ connectionString: on.deployment.databaseUrl });
  await rows.connect();
  try {
    const operations = sized.flatMap((one) => operationsOf(on, rows, engine, one));
    const timings = await timeInTurns(operations, rounds);
    return { timings, targets: targetsOf(timings, sized) };
  } finally {
    await rows.end();
  }
}

const nameOf = (label: string, { size }: Sized) => `${label}, ${size} members`;
const CHANGED = ['person', 'organization'] as const;

function operationsOf(on: Measured, rows: pg.Client, engine: Engine, one: Sized): Operation[] {
  const call = () => requestUntil(on, modern('tools/call', one.key.secret), '"ok":true');
  const own = [one.member.account_id, one.id];
  const renewNonces = {
    person: () => rows.query(NEW_NONCES, [...own, false]),
    organization: () => rows.query(NEW_NONCES, [...own, true]),
  };
  return [
    ...CHANGED.map((change) => ({
      name: nameOf(`call, new ${change}`, one),
      before: renewNonces[change],
      run: call,
    })),
    { name: nameOf('its BatchCheck', one), run: () => checkDirectly(engine, one) },
    { name: nameOf('warm call', one), run: call },
  ];
}

const NEW_NONCES = `UPDATE authz_scope SET nonce = gen_random_uuid()
  WHERE kind = 'account' AND id = $1
    OR kind = 'membership' AND id = (
      SELECT id FROM membership WHERE account_id = $1 AND organization_id = $2)
    OR kind = 'organization' AND id = $2 AND $3`;

/**
 * Sends the checks of a call: the capabilities in the organization, and whether the team is active.
 */
async function checkDirectly(
  engine: Engine,
  { id, member, team_id, key }: Pick<Sized, 'id' | 'member' | 'team_id' | 'key'>,
): Promise<void> {
  const subject = `api_key:${key.id}`;
  const context = `membership:${id}.${member.account_id}`;
  const relations = ['can_connect', ...capabilities.map((name) => `can_use_${name}`)];
  const answers = await engine.batchCheck([
    ...relations.map((relation) => ({ subject, relation, object: context })),
    { subject, relation: 'active', object: `team_seat:${team_id}.${member.account_id}` },
  ]);
  if (!answers[0] || !answers.at(-1)) throw new Error('the measured key was not active');
}

function targetsOf(timings: readonly Timing[], sized: readonly Sized[]): Target[] {
  const timingOf = (change: string, one: Sized) =>
    timings.find(({ name }) => name === nameOf(change, one))!;
  const [few, many] = [sized[0]!, sized.at(-1)!];
  return CHANGED.flatMap((change): Target[] => {
    const call = `call, new ${change}`;
    return [
      ...sized.map((one) => ({
        name: `${nameOf(call, one)}: ms of the decision beyond BatchCheck`,
        value: timeBeyond(timingOf(call, one), [
          timingOf('warm call', one),
          timingOf('its BatchCheck', one),
        ]),
        limit: 6,
        kind: 'at most' as const,
      })),
      {
        name: `${call}: ${many.size} members / ${few.size}`,
        value: timeRatio(timingOf(call, many), timingOf(call, few)),
        limit: 1.25,
        kind: 'at most' as const,
      },
    ];
  });
}
