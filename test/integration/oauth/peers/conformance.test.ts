import { expect, test } from 'vitest';
import { runAuthorizationSuite } from '../../../support/conformance/run-suite.ts';
import { freePort } from '../../../support/servers/free-port.ts';
import { createRegisteredWorld } from './registered-world.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const world = await closeAfterTests(createRegisteredWorld());

test.each(['without a resource', 'with the resource'])(
  'the official suite of authorization servers passes, %s',
  async (title) => {
    const port = await freePort();
    const { id } = await world.register({ redirect_uri: 'http://127.0.0.1/callback' });
    const results = await runAuthorizationSuite(
      { issuer: world.issuer, client_id: id, port },
      world.visit,
      title === 'with the resource' ? ['--resource', world.endpoint] : [],
    );

    const statuses = [...results.values()].flat().map(({ id: check, status }) => [check, status]);
    expect(Object.fromEntries(statuses), JSON.stringify([...results])).toEqual({
      'authorization-server-metadata': 'SUCCESS',
      // Clients are registered by people: a document of the client's own would be another way.
      'authorization-server-metadata-cimd': 'WARNING',
      'authorization-code-grant': 'SUCCESS',
    });
  },
);
