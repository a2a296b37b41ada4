import { expect, test } from 'vitest';
import { z } from 'zod';
import { CurrentPassword } from '../../../src/caller/schema.ts';
import type { Route } from '../../../src/caller/route.ts';
import { requireDeclaredReauthentication } from '../../../src/gateway/rest/reauthentication.ts';

type Declared = Parameters<typeof requireDeclaredReauthentication>[0];
const proof = z.object({ current_password: CurrentPassword });
const session: Route['access'] = { interactive: 'manage_account' };
const union = z.discriminatedUnion('kind', [
  proof.extend({ kind: z.literal('a') }),
  z.object({ kind: z.literal('b') }),
]);
const route = (fields: Partial<Declared>): Declared => ({
  ...{ path: '/api/x', access: session, body: proof, reauthentication: 'first' },
  ...fields,
});

test.each<[fault: string, fields: Partial<Declared>]>([
  ['accepts keys', { access: { on: 'organization', permission: 'sso_write' } }],
  ['has no body', { body: undefined }],
  ['has no field for the proof', { body: z.object({}) }],
  ['has no field for it in one kind of body', { body: union }],
])('a route that requires reauthentication and %s is refused at startup', (_fault, fields) => {
  expect(() => requireDeclaredReauthentication(route(fields))).toThrow('/api/x');
});

test('a route that has a field for the proof but does not require it is refused at startup', () => {
  const undeclared = route({ reauthentication: undefined });

  expect(() => requireDeclaredReauthentication(undeclared)).toThrow('/api/x');
});

test.each(['first', 'by_handler'] as const)(
  'a route for sessions whose body has the field starts (%s)',
  (reauthentication) => {
    requireDeclaredReauthentication(route({ reauthentication }));
  },
);
