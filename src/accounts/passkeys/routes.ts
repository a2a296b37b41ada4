import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import { ownSignInErrors } from '../../caller/route-errors.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { ReauthenticationProof } from '../../caller/schema.ts';
import { IdParams } from '../schema.ts';
import {
  NewPasskey,
  NewPasskeyResponse,
  OptionsResponse,
  Passkey,
  PasskeyList,
  PasskeyName,
} from './schema.ts';

const tag = 'Passkeys';

export const passkeyRoutes = (accounts: Pick<Accounts, 'factors'>): Route[] => [
  ...creationRoutes(accounts),
  ...managementRoutes(accounts),
];

const creationRoutes = ({ factors }: Pick<Accounts, 'factors'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/user/passkeys/options',
    access: { interactive: 'manage_account' },
    reauthentication: 'first',
    operation_id: 'getPasskeyCreationOptions',
    summary: 'Get passkey creation options',
    description: 'The authenticator of the person needs them to create the passkey.',
    tag,
    body: ReauthenticationProof,
    responses: { 200: OptionsResponse },
    handle: async ({ caller }) => ok({ options: await factors.passkeys.options(caller) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/passkeys',
    access: { interactive: 'manage_account' },
    operation_id: 'addPasskey',
    summary: 'Add a passkey',
    description: 'With the first second factor, the response shows the recovery codes.',
    tag,
    body: NewPasskey,
    responses: { 201: NewPasskeyResponse },
    shown_once: ['recovery_codes'],
    errors: { 422: ['limit_reached', 'passkey_invalid'] },
    handle: async ({ caller, body, request }) =>
      created(await factors.passkeys.create(caller, body, request)),
  }),
];

const managementRoutes = ({ factors }: Pick<Accounts, 'factors'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/user/passkeys',
    access: { interactive: 'ownership' },
    operation_id: 'listPasskeys',
    summary: 'List your passkeys',
    description: 'There are at most twenty, all on one page.',
    tag,
    responses: { 200: PasskeyList },
    handle: async ({ caller }) =>
      ok({ data: await factors.passkeys.list(caller), next_cursor: null }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/user/passkeys/{id}',
    access: { interactive: 'manage_account' },
    operation_id: 'renamePasskey',
    summary: 'Rename a passkey',
    tag,
    params: IdParams,
    object: ({ caller, params }) => factors.passkeys.requirePasskey(caller, params.id),
    body: PasskeyName,
    responses: { 200: Passkey },
    handle: async ({ caller, params, body, request }) =>
      ok(await factors.passkeys.rename(caller, params.id, body.name, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/user/passkeys/{id}',
    access: { interactive: 'ownership' },
    reauthentication: 'first',
    operation_id: 'removePasskey',
    summary: 'Remove a passkey',
    description: 'The last way to sign in cannot be removed.',
    tag,
    params: IdParams,
    body: ReauthenticationProof,
    responses: { 204: null },
    errors: [{ 422: ['last_way_in'] }, ownSignInErrors],
    async handle({ caller, params, reauthentication, request }) {
      await factors.passkeys.remove(caller, params.id, reauthentication, request);
      return noContent();
    },
  }),
];
