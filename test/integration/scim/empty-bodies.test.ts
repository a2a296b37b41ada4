import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDirectoryWorld, oktaUser } from '../../support/people/directory.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const world = await closeAfterTests(createDirectoryWorld());
const acme = await world.provisioned('example.com');

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
