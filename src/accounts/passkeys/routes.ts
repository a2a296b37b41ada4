import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { PresenceProof } from '../schema.ts';
import { answerSession } from '../sign-in/answer.ts';
import { SessionAnswer } from '../sign-in/schema.ts';
import {
  NewPasskey,
  NewPasskeyAnswer,
  OptionsAnswer,
  Passkey,
  PasskeyId,
  PasskeyList,
  PasskeyName,
  PasskeySignIn,
  PasskeySignInOptions,
} from './schema.ts';

const tag = 'Account';

export const passkeySignInRoutes = ({
  factors,
  cookies,
}: Pick<Accounts, 'factors' | 'cookies'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/passkey/options',
    access: 'public',
    summary: 'Begins a sign-in with a passkey; the same for everybody.',
    tag,
    responses: { 200: PasskeySignInOptions },
    browser_only: true,
    handle: async ({ request }) => ok(await factors.passkeySignIn.options(request)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/passkey',
    access: 'public',
    summary: 'Signs in with a passkey; no password and no further factor.',
    tag,
    body: PasskeySignIn,
    responses: { 200: SessionAnswer },
    browser_only: true,
    handle: async ({ body, request }) =>
      answerSession(cookies, await factors.passkeySignIn.signIn(body, request)),
  }),
];

export const passkeyRoutes = ({ factors }: Pick<Accounts, 'factors'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/user/passkeys/options',
    access: { interactive: 'manage_account' },
    summary: 'Begins to add a passkey.',
    tag,
    body: PresenceProof,
    responses: { 200: OptionsAnswer },
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
    summary: 'Adds the passkey an authenticator made.',
    tag,
    body: NewPasskey,
    responses: { 201: NewPasskeyAnswer },
    handle: async ({ caller, body, request }) =>
      created(await factors.passkeys.create(caller, body, request)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/user/passkeys',
    access: { interactive: 'ownership' },
    summary: 'The passkeys of the account, at most twenty.',
    tag,
    responses: { 200: PasskeyList },
    handle: async ({ caller }) =>
      ok({ data: await factors.passkeys.list(caller), next_cursor: null }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/user/passkeys/{id}',
    access: { interactive: 'manage_account' },
    summary: 'Gives a passkey another name.',
    tag,
    params: PasskeyId,
    object: ({ caller, params }) => factors.passkeys.requireOwn(caller, params.id),
    body: PasskeyName,
    responses: { 200: Passkey },
    handle: async ({ caller, params, body, request }) =>
      ok(await factors.passkeys.rename(caller, params.id, body.name, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/user/passkeys/{id}',
    access: { interactive: 'ownership' },
    summary: 'Removes a passkey.',
    tag,
    params: PasskeyId,
    body: PresenceProof,
    responses: { 204: null },
    async handle({ caller, params, body, request }) {
      await factors.passkeys.remove(caller, params.id, body.current_password, request);
      return noContent();
    },
  }),
];
