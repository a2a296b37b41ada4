import { expect, test } from 'vitest';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { firstRunToken } from '../../../src/seed/demo/demo.ts';
import { createPerson } from '../../support/people/people.ts';
import { useWorld } from '../../support/worlds/world.ts';

test('one of two requests that load the demo at once loads it, and the other is refused (rel:S14, one winner)', async () => {
  const world = await useWorld({ DEV_MAIL: 'on' });
  const gateway = await world.gateway();
  const token = firstRunToken(createSecrets(world.env['SECRETS_KEY']!));
  const load = () =>
    createPerson(gateway.url).ask({
      ...{ path: '/dev/demo', body: { token }, isUndeclared: true },
    });

  const answers = await Promise.all([load(), load()]);

  const found = await world.query('SELECT name FROM organization WHERE deleted_at IS NULL');
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 422]);
  expect(found).toEqual([{ name: 'Acme' }]);
  expect(await world.query('SELECT FROM account')).toHaveLength(4);
}, 400_000);
