import { expect, test } from 'vitest';
import { declaredRoutes } from '../../support/declared-routes.ts';
import { askAs } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const ada = await signUp(world, gateway);

interface Errors {
  errors: { code: string; message: string; detail: { pointer: string } }[];
}

test('an unknown query parameter is 400, and the known ones are named (decisions 9)', async () => {
  const list = await askAs<Errors>(ada, {
    path: '/api/organizations?limit=5&colour=red&sort=name',
  });

  expect(list.status).toBe(400);
  expect(list.body.errors).toEqual(
    ['/colour', '/sort'].map((pointer) => ({
      code: 'invalid_query',
      message: 'is not a parameter of this operation, which has limit, cursor',
      detail: { pointer },
    })),
  );
  const profile = await askAs<Errors>(ada, { path: '/api/user/profile?fields=all' });
  expect(profile.body.errors).toMatchObject([
    { message: 'is not a parameter: this operation has none', detail: { pointer: '/fields' } },
  ]);
});

test('a request with an unknown parameter changes nothing', async () => {
  const created = await askAs(ada, { path: '/api/keys?dry_run=true', body: { name: 'a' } });

  expect(created.status).toBe(400);
  expect((await askAs<{ data: object[] }>(ada, { path: '/api/keys' })).body.data).toEqual([]);
});

test.each(['/health?probe=1', '/api/openapi.json?v=2', '/docs/api?theme=dark'])(
  'a page and the service accept parameters that they do not know: %s',
  async (path) => {
    expect((await fetch(`${gateway.url}${path}`)).status).toBe(200);
  },
);

test('only callbacks of identity providers and authorization servers accept unknown parameters below /api', async () => {
  const callbacks = (await declaredRoutes()).filter(({ is_callback }) => is_callback === true);

  expect(callbacks.map(({ path }) => path).toSorted()).toEqual([
    '/api/auth/oauth/{provider}/callback',
    '/api/auth/sso/{connection_id}/acs',
    '/api/auth/sso/{connection_id}/callback',
    '/api/upstream-oauth/callback',
  ]);
});
