import { expect, test } from 'vitest';
import { askAs, createRole } from '../../support/people/organizations.ts';
import { createKey } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeamRole, createTeam, seatsOf } from '../../support/people/teams.ts';
import { clientOf, createJobClient } from '../jobs/job-client.ts';
import type { JobClient } from '../jobs/job-client.ts';

const teams = await useTeams();

const documentOf = (name: string) => ({
  document: {
    ...{ openapi: '3.0.0', info: { title: 'Api', version: '1' } },
    servers: [{ url: 'https://api.example.com' }],
    paths: {
      [`/${name}`]: {
        get: { summary: 'Marker.', responses: { 200: { description: 'Done.' } } },
      },
    },
  },
});

/** Returns the id of a finished import. */
async function imported(client: JobClient, path: string, name: string): Promise<string> {
  const begun = await client.begin(documentOf(name), `${path}/import`);
  expect([begun.status, begun.body]).toEqual([202, expect.anything()]);
  const { result } = await client.ended(begun.body.id);
  expect(JSON.stringify(result)).toContain('Marker.');
  return begun.body.id;
}

/** Expects that a client neither sees nor cancels a job. */
async function expectUnseen(client: JobClient, job: string): Promise<void> {
  for (const path of [`/api/jobs/${job}`, `/api/jobs/${job}/events`])
    expect((await client.ask(path)).status).toBe(404);
  expect((await client.cancel(job)).status).toBe(404);
  expect((await client.list()).data).toEqual([]);
}

test('a key whose grant for the organization was cut does not see jobs in it (G6, rel:B1-15)', async () => {
  const { id, owner } = await teams.organization();
  const permissions = ['can_create_organization_tools'];
  const author = await createRole(owner, id, { name: 'Author', permissions });
  const mia = await teams.join(id, 'mia', [author.id]);
  const grants = [{ scope: { type: 'org', org_id: id }, permissions }];
  const key = await createKey(mia, { grants });
  const client = createJobClient(teams.gateway, { 'x-api-key': key.secret });
  const path = `/api/organizations/${id}/custom-tools`;
  const job = await imported(client, path, 'narrowed');

  const credentials = `/api/organizations/${id}/members/${mia.account_id}/credentials`;
  const cut = await askAs(owner, { method: 'DELETE', path: `${credentials}/api_key/${key.id}` });
  expect(cut.status).toBe(204);

  expect((await client.ask(path)).status).toBe(404);
  await expectUnseen(client, job);
});

test('a key that lost its personal grant does not see jobs in the account (G6)', async () => {
  const { id } = await teams.organization();
  const mia = await teams.join(id, 'mia');
  const permissions = ['can_create_tools'];
  const key = await createKey(mia, { grants: [{ scope: { type: 'personal' }, permissions }] });
  const client = createJobClient(teams.gateway, { 'x-api-key': key.secret });
  const job = await imported(client, '/api/me/custom-tools', 'own');

  const narrowed = await askAs(mia, {
    ...{ method: 'PATCH', path: `/api/keys/${key.id}`, body: { grants: [] } },
  });
  expect(narrowed.status).toBe(200);

  expect((await client.ask('/api/me/custom-tools')).status).toBe(401);
  await expectUnseen(client, job);
});

test('a person who has left a team does not see jobs in it (rel:B9-1: other team’s, 404)', async () => {
  const { id, owner } = await teams.organization();
  const team = await createTeam(owner, id, 'blue');
  const seats = seatsOf(id, team.id);
  const author = await createTeamRole(owner, `/api/organizations/${id}/team-roles`, {
    ...{ name: 'Author', permissions: ['can_create_team_tools'] },
  });
  const mia = await teams.join(id, 'mia');
  expect((await seats.add(owner, mia, [author.id])).status).toBe(201);
  const client = clientOf(teams.gateway, mia);
  const path = `${seats.path}/custom-tools`;
  const job = await imported(client, path, 'left');

  expect((await seats.remove(owner, mia)).status).toBe(204);

  expect((await client.ask(path)).status).toBe(404);
  await expectUnseen(client, job);
});

test('a stream of a job ends with 404 once its person may no longer send the request', async () => {
  const { id, owner } = await teams.organization();
  const permissions = ['can_create_organization_tools'];
  const author = await createRole(owner, id, { name: 'Author', permissions });
  const mia = await teams.join(id, 'mia', [author.id]);
  const client = clientOf(teams.gateway, mia);
  const job = await imported(client, `/api/organizations/${id}/custom-tools`, 'watched');
  await teams.world.query(
    `UPDATE job SET state = 'running', ended_at = NULL, status = NULL, result = NULL,
       heartbeat_at = now() + interval '1 hour'
     WHERE id = $1`,
    [job],
  );
  const stream = await client.watch(job);
  expect((await stream.next())!.event).toBe('progress');

  const lost = await askAs(owner, {
    ...{ method: 'PATCH', path: `/api/organizations/${id}/roles/${author.id}` },
    body: { permissions: ['can_view_organization_tools'] },
  });
  expect(lost.status).toBe(200);

  const [end] = (await stream.all()).slice(-1);
  expect(end).toMatchObject({ event: 'end', data: { errors: [{ code: 'not_found' }] } });
  await expectUnseen(client, job);
});
