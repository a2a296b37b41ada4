import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import { reauthenticationErrors } from '../../caller/route-errors.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { IdParams, ReauthenticationProof } from '../schema.ts';
import {
  NewPasskey,
  NewPasskeyResponse,
  OptionsResponse,
  Passkey,
  PasskeyList,
  PasskeyName,
} from './schema.ts';

const tag = 'Account';

export const passkeyRoutes = (accounts: Pick<Accounts, 'factors'>): Route[] => [
  ...creationRoutes(accounts),
  ...managementRoutes(accounts),
];

const creationRoutes = ({ factors }: Pick<Accounts, 'factors'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/user/passkeys/options',
    access: { interactive: 'manage_account' },
    operation_id: 'getPasskeyCreationOptions',
    summary: 'Start adding a passkey',
    tag,
    body: ReauthenticationProof,
    responses: { 200: OptionsResponse },
    errors: reauthenticationErrors,
    async handle({ caller, body, request }) {
      return ok({
        options: await factors.passkeys.options(caller, body.current_password, request),
      });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/passkeys',
    access: { interactive: 'manage_account' },
    operation_id: 'addPasskey',
    summary: 'Add a passkey from an authenticator’s response',
    tag,
    body: NewPasskey,
    responses: { 201: NewPasskeyResponse },
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
    summary: 'List passkeys, at most twenty',
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
    operation_id: 'removePasskey',
    summary: 'Remove a passkey',
    tag,
    params: IdParams,
    body: ReauthenticationProof,
    responses: { 204: null },
    errors: { ...reauthenticationErrors, 422: ['last_way_in'] },
    async handle({ caller, params, body, request }) {
      await factors.passkeys.remove(caller, params.id, body.current_password, request);
      return noContent();
    },
  }),
];
