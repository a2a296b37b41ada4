import { randomUUID } from 'node:crypto';
import { createEngine } from '../../src/authz/engine/client.ts';
import type { Engine } from '../../src/authz/engine/client.ts';
import type { Tuple } from '../../src/authz/tuple.ts';
import type { Deployment } from '../support/servers/deployment-on.ts';
import { vacuum } from './big-store.ts';
import type { Target } from './targets.ts';

const SAMPLES = 150;
const WRITE_SIZE = 98;

export interface ColdRow {
  name: string;
  p50Ms: number;
  p95Ms: number;
}

/** Measures one BatchCheck of two uncached checks, as a cold request sends it. */
export async function measureCold(
  deployment: Deployment,
  modelId: string,
  openfgaDatabaseUrl: string,
): Promise<{ rows: ColdRow[]; targets: Target[] }> {
  const engine = createEngine({ ...deployment.openfga, modelId, deadlineMs: 5_000 });
  const rows = [await coldPersonal(engine)];
  for (const members of [10, 10_000])
    rows.push(await coldMembership(engine, members, () => vacuum(openfgaDatabaseUrl)));
  const [, few, many] = rows;
  const ratio = many!.p50Ms / few!.p50Ms;
  const name = 'cold membership: 10 000 members / 10';
  return { rows, targets: [{ name, value: ratio, limit: 1.5, kind: 'at most' }] };
}

async function coldPersonal(engine: Engine): Promise<ColdRow> {
  const [account, key] = [randomUUID(), randomUUID()];
  await writeAll(engine, [
    { user: `user:${account}`, relation: 'session', object: `account:${account}` },
    ...['runs_here', 'declared_tools', 'principal'].map((relation) => ({
      user: `api_key:${key}`,
      relation,
      object: `account:${account}`,
    })),
  ]);
  return sample('personal', engine, `api_key:${key}`, `account:${account}`);
}

/** Measures a key that runs in an organization where every member is an owner. */
async function coldMembership(
  engine: Engine,
  members: number,
  beforeMeasuring: () => Promise<void>,
): Promise<ColdRow> {
  const organization = randomUUID();
  const people = Array.from({ length: members }, () => randomUUID());
  await writeAll(
    engine,
    people.flatMap((person) => [
      {
        user: `account:${person}`,
        relation: 'person',
        object: `membership:${organization}.${person}`,
      },
      {
        user: 'org_role:owner',
        relation: 'role',
        object: `membership:${organization}.${person}`,
      },
    ]),
  );
  const [person, key] = [people[0]!, randomUUID()];
  const seat = `membership:${organization}.${person}`;
  await writeAll(engine, [
    { user: `api_key:${key}`, relation: 'principal', object: `account:${person}` },
    { user: `api_key:${key}`, relation: 'runs_here', object: seat },
    { user: `api_key:${key}`, relation: 'declared_tools', object: seat },
  ]);
  await beforeMeasuring();
  return sample(`membership of ${members}`, engine, `api_key:${key}`, seat);
}

async function sample(
  name: string,
  engine: Engine,
  subject: string,
  object: string,
): Promise<ColdRow> {
  const questions = ['can_connect', 'can_use_tools'].map((relation) => ({
    subject,
    relation,
    object,
  }));
  const times: number[] = [];
  for (let round = 0; round < SAMPLES; round += 1) {
    const began = performance.now();
    const answers = await engine.batchCheck(questions);
    times.push(performance.now() - began);
    if (answers.includes(false)) throw new Error(`${name}: a cold decision was a denial`);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (part: number) => sorted[Math.floor(part * sorted.length)]!;
  return { name, p50Ms: percentile(0.5), p95Ms: percentile(0.95) };
}

async function writeAll(engine: Engine, tuples: readonly Tuple[]): Promise<void> {
  for (let start = 0; start < tuples.length; start += WRITE_SIZE) {
    const outcome = await engine.write({
      deletes: [],
      writes: tuples.slice(start, start + WRITE_SIZE),
    });
    if (outcome !== 'written') throw new Error(`the bench's tuples were ${outcome}`);
  }
}
