import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, disconnect } from '../../../src/connections.ts';
import type { Connections } from '../../../src/connections.ts';
import { createJoins, driftOf } from '../../support/people/organizations.ts';
import type { Joins } from '../../support/people/organizations.ts';
import { signInAs, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { typeOf } from '../../model/evaluator.ts';
import { createCutOffWorld } from './cut-off.ts';
import type { CutOffWorld } from './cut-off.ts';
import { readAuthority } from './effective-authority.ts';
import { anyRound, createRaced } from './organization-races.ts';
import { readRowAuthority } from './row-authority.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

let cutOff: CutOffWorld;
let connections: Connections;
let joins: Joins;
/** The owner, and the people who become members. */
let everyone: SignedUp[];
beforeAll(async () => {
  cutOff = await createCutOffWorld();
  const { world, gateways } = cutOff;
  connections = await connect(gateways[0].config);
  joins = await createJoins(gateways[0]);
  everyone = [];
  for (const name of ['owner', 'mia', 'tom']) everyone.push(await signUp(world, gateways[0], name));
  await world.query("UPDATE account SET plan = 'enterprise' WHERE id = $1", [
    everyone[0]!.account_id,
  ]);
}, 60_000);
afterAll(async () => {
  await joins?.close();
  await disconnect(connections);
  await cutOff?.close();
});

/** Number of checks sent to OpenFGA itself; all are decided with the model in memory. */
const SAMPLE = 40;

/** Expects that the tuples of these organizations allow exactly what their rows allow. */
async function expectSameAuthority(ids: readonly string[], seed: number): Promise<void> {
  const rows = await readRowAuthority(cutOff.world, ids);
  const { allowed, decisionsOn } = await readAuthority(connections.engine);
  const sample: { subject: string; relation: string; object: string }[] = [];
  for (const subject of rows.subjects) {
    const byTuples = allowed(subject)
      .filter(([object]) => typeOf(object) !== 'account')
      .map((one) => one.join(' '));
    const byRows = rows.objects.flatMap((object) =>
      decisionsOn(object)
        .filter((relation) => rows.allows(subject, relation, object))
        .map((relation) => `${object} ${relation}`),
    );
    expect(byTuples.toSorted(), subject).toEqual(byRows.toSorted());
    for (const object of rows.objects)
      for (const relation of decisionsOn(object)) sample.push({ subject, relation, object });
  }
  const asked = Array.from(
    { length: SAMPLE },
    (_, number) => sample[(seed + number * 7_919) % sample.length]!,
  );
  expect(await connections.engine.batchCheck(asked)).toEqual(
    asked.map(({ subject, relation, object }) => rows.allows(subject, relation, object)),
  );
}

test(
  'once all changes are applied, memberships, seats, roles and keys have the tuples and the authority of their rows, despite any races and outages (P10)',
  async () => {
    const rounds = fc.array(anyRound, { minLength: 3, maxLength: 6 });
    await checkProperty(
      3,
      fc.asyncProperty(rounds, fc.nat(), async (all, seed) => {
        const { world, gateways } = cutOff;
        const [owner, ...people] = await Promise.all(everyone.map(signInAs));
        const racing = { world, owner: owner!, people, gateways, joins };
        const organizations = [await createRaced(racing), await createRaced(racing)] as const;
        try {
          for (const { commands, isCutOff } of all) {
            const now = await Promise.all(organizations.map((one) => one.existing()));
            await cutOff.run(
              isCutOff,
              commands.map(
                (one) => () => organizations[one.organization]!.run(one, now[one.organization]!),
              ),
            );
          }
          await cutOff.waitUntilApplied();

          expect(await driftOf(cutOff.gateways[0])).toEqual([]);
          await expectSameAuthority(
            organizations.map(({ id }) => id),
            seed,
          );
        } finally {
          for (const one of organizations) await one.end();
        }
      }),
      100_000,
    );
  },
  scaledTimeout(120_000),
);
