import { expect, test } from 'vitest';
import { askAs, askPresent, createRole } from '../../support/people/organizations.ts';
import { createKey } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { clientOf, createJobClient } from '../jobs/job-client.ts';
import type { JobClient } from '../jobs/job-client.ts';

const teams = await useTeams();

const operation = { summary: 'Marker.', responses: { 200: { description: 'Done.' } } };
const documentOf = (paths: object) => ({
  document: {
    ...{ openapi: '3.0.0', info: { title: 'Api', version: '1' } },
    ...{ servers: [{ url: 'https://api.example.com' }], paths },
  },
});

/** Creates an organization with a member who imports tools in a session and with a key. */
async function createImports() {
  const { id, owner } = await teams.organization();
  const permissions = ['can_create_organization_tools'];
  const role = await createRole(owner, id, { name: 'Author', permissions });
  const mia = await teams.join(id, 'mia', [role.id]);
  const grants = [{ scope: { type: 'org', org_id: id }, permissions }];
  const { secret } = await createKey(mia, { grants });
  const path = `/api/organizations/${id}/custom-tools/import`;
  const imported = async (client: JobClient, name: string) => {
    const { body } = await client.begin(documentOf({ [`/${name}`]: { get: operation } }), path);
    const { result } = await client.ended(body.id);
    expect(JSON.stringify(result)).toContain('Marker.');
    return { client, job: body.id };
  };
  const jobs = [
    await imported(clientOf(teams.gateway, mia), 'session'),
    await imported(createJobClient(teams.otherGateway, { 'x-api-key': secret }), 'key'),
  ];
  return { id, owner, mia, jobs };
}

/** Expects that nobody sees any of the jobs. */
async function expectNoneSeen(jobs: { client: JobClient; job: string }[]) {
  for (const { client, job } of jobs) {
    for (const path of [`/api/jobs/${job}`, `/api/jobs/${job}/events`])
      expect((await client.ask(path)).status).toBe(404);
    expect((await client.cancel(job)).status).toBe(404);
    expect((await client.list()).data).toEqual([]);
  }
}

test('a former member does not see jobs in the organization, whose results are its content (A6)', async () => {
  const { id, owner, mia, jobs } = await createImports();

  const path = `/api/organizations/${id}/members/${mia.account_id}`;
  expect((await askAs(owner, { method: 'DELETE', path })).status).toBe(204);

  await expectNoneSeen(jobs);
});

test('nobody sees jobs in a suspended organization', async () => {
  const { id, jobs } = await createImports();

  await teams.joins.setStatus(id, 'suspended');
  await expectNoneSeen(jobs);

  await teams.joins.setStatus(id, 'active');
  for (const { client, job } of jobs) expect((await client.jobAt(job)).state).toBe('succeeded');
});

test('nobody sees jobs in a deleted organization', async () => {
  const { id, owner, jobs } = await createImports();

  const path = `/api/organizations/${id}`;
  const deleted = await askPresent(owner, { method: 'DELETE', path, body: { confirm: 'Acme' } });
  expect(deleted.status).toBe(204);

  await expectNoneSeen(jobs);
});

test('the jobs that are kept of a person are limited in number and size', async () => {
  const eve: SignedUp = await teams.join((await teams.organization()).id, 'eve');
  const client = clientOf(teams.gateway, eve);
  // Skipped operations have long labels, and save nothing.
  const long = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [
      `/${'\u{1F600}'.repeat(90)}${index}`,
      { trace: {} },
    ]),
  );
  const flood = async (body: object, count: number) => {
    for (let begun = 0; begun < count; begun += 1) {
      const job = await client.begin(body, '/api/me/custom-tools/import');
      expect(job.status).toBe(202);
      await client.ended(job.body.id);
    }
  };
  const kept = async () => {
    const [row] = await teams.world.query<{ jobs: number; bytes: number }>(
      `SELECT count(*)::int AS jobs, sum(octet_length(result))::int AS bytes FROM job
       WHERE account_id = $1`,
      [eve.account_id],
    );
    return row!;
  };

  await flood(documentOf({}), 110);
  expect((await kept()).jobs).toBe(100);
  await teams.world.query(
    `UPDATE job SET result = to_json(repeat('a', 1000000)) WHERE account_id = $1`,
    [eve.account_id],
  );
  await flood(documentOf(long), 2);
  expect((await kept()).bytes).toBeLessThan(21_000_000);
}, 60_000);
