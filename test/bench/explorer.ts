import { setTimeout } from 'node:timers/promises';
import type { Job } from '../../src/jobs/schema.ts';
import { askAs } from '../support/people/organizations.ts';
import { runLoad } from './load.ts';
import { modern } from './messages.ts';
import { noopId, request } from './organizations/people.ts';
import type { Measured } from './organizations/people.ts';
import { createSized } from './organizations/sized.ts';
import type { Sized } from './organizations/sized.ts';
import type { Target } from './targets.ts';
import { printTimings, timeInTurns } from './timings.ts';
import { median } from './turns.ts';

const MEMBERS = 10_000;
const REPORTS = 20;
const ROUNDS = 5;
// Some 250 calls a second: a gateway that calls keep busy all the time shares its cores with whatever
// else runs, and its latency would tell how fast the machine is.
const LOAD = { connections: 4, seconds: 5, pauseMs: 15, expecting: '"ok":true' };
const PERMISSION = 'can_view_organization_members';

/**
 * Measures the access explorer in an organization of 10,000 members, each with a key: who holds a
 * permission, who can use an item, a whole review, and what live calls wait for meanwhile.
 */
export async function measureExplorer(on: Measured): Promise<Target[]> {
  const sized = await createSized(on, MEMBERS);
  const { owner, path, role_id } = sized;
  const body = { permissions: [PERMISSION] };
  await request(owner, { method: 'PATCH', path: `${path}/roles/${role_id}`, body });
  const holders = `${path}/access/permissions/${PERMISSION}`;
  const users = `${path}/access/items/tools/${noopId(0)}`;
  const timings = await timeInTurns(
    [
      { name: 'who holds a permission', run: () => request(owner, { path: holders }) },
      { name: 'who can use an item', run: () => request(owner, { path: users }) },
    ],
    REPORTS,
  );
  const review = await timeReview(sized);
  const ratio = await compareCalls(on, sized, [holders, users]);
  printTimings([...timings, { name: 'a review, as a job', ms: [review] }]);
  return [
    atMost('who holds a permission, 10,000 members: ms', median(timings[0]!.ms), 1_000),
    atMost('who can use an item, 10,000 keys: ms', median(timings[1]!.ms), 4_000),
    atMost('review of 10,000 members and keys: ms', review, 60_000),
    atMost('live calls next to reports / alone: p99', ratio, 1.25),
  ];
}

const atMost = (name: string, value: number, limit: number): Target => ({
  ...{ name, value, limit },
  kind: 'at most',
});

/** Takes a review as a job, and returns how long that took. */
async function timeReview({ owner, path }: Sized): Promise<number> {
  const began = performance.now();
  const started = await askAs(owner, {
    ...{ path: `${path}/access/reviews`, body: {} },
    headers: { prefer: 'respond-async' },
  });
  for (let job: Job = started.body as unknown as Job; ;) {
    if (job.state === 'succeeded') return performance.now() - began;
    if (job.state !== 'running') throw new Error(`review: ${JSON.stringify(job)}`);
    await setTimeout(250);
    job = await request<Job>(owner, { path: `/api/jobs/${job.id}` });
  }
}

/** Returns the median ratio of the 99th percentile of calls with reports to that without. */
async function compareCalls(
  { port }: Measured,
  { owner, key }: Sized,
  reports: readonly string[],
): Promise<number> {
  const call = () => runLoad({ port, requests: [modern('tools/call', key.secret)] }, LOAD);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone = await call();
    const ended = new AbortController();
    const asking = askOverAndOver(owner, reports, ended.signal);
    const next = await call();
    ended.abort();
    await asking;
    ratios.push(next.p99Ms / alone.p99Ms);
  }
  return median(ratios);
}

async function askOverAndOver(
  owner: Sized['owner'],
  paths: readonly string[],
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) for (const path of paths) await askAs(owner, { path });
}
