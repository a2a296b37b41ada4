import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDirectoryWorld, oktaUser } from '../../support/people/directory.ts';
import type { DirectoryWorld } from '../../support/people/directory.ts';

let world: DirectoryWorld;
let acme: Awaited<ReturnType<DirectoryWorld['provisioned']>>;
beforeAll(async () => {
  world = await createDirectoryWorld();
  acme = await world.provisioned('example.com');
});
afterAll(() => world?.close());

test.each([{}, { 'content-type': 'application/scim+json' }])(
  'a user is deleted by a request without a body, with the headers %j',
  async (headers) => {
    const { body } = await acme.ask({
      path: '/Users',
      body: oktaUser(`${randomUUID()}@${acme.domain}`),
    });

    const deleted = await fetch(`${world.gateway.url}${acme.base}/Users/${body.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${acme.token}`, ...headers },
    });

    expect(deleted.status).toBe(204);
  },
);
