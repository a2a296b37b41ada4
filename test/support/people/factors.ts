import { generateSync } from 'otplib';
import type { Authenticator, CreationOptions, RequestOptions } from './authenticator.ts';
import { createPerson, signUp } from './people.ts';
import type { SignedUp } from './people.ts';
import type { Gateway, World } from '../worlds/world.ts';

export interface Errors {
  errors: { code: string; message: string; detail: unknown }[];
}

const STEP_SECONDS = 30;

/** Returns the code an authenticator app shows now, or `steps` steps from now. */
export const codeOf = (secret: string, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * STEP_SECONDS });

/** Returns a code that is wrong for the current step and its neighbors. */
export function wrongCode(secret: string): string {
  const valid = new Set([-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((c) => !valid.has(c))!;
}

/**
 * Sets up an authenticator app over HTTP and resets the last used step, so its code is valid again.
 */
export async function addTotp(
  { query }: Pick<World, 'query'>,
  { person, bearer, password, account_id }: SignedUp,
): Promise<{ secret: string; recovery_codes: string[] }> {
  const started = await person.ask<{ secret: string }>({
    path: '/api/user/totp',
    body: { current_password: password },
    headers: bearer,
  });
  if (started.status !== 200) throw new Error(`totp: ${JSON.stringify(started)}`);
  const { secret } = started.body;
  const confirmed = await person.ask<{ recovery_codes: string[] }>({
    path: '/api/user/totp/confirm',
    body: { code: codeOf(secret) },
    headers: bearer,
  });
  if (confirmed.status !== 200) throw new Error(`totp: ${JSON.stringify(confirmed)}`);
  await forgetSteps({ query }, account_id);
  return { secret, recovery_codes: confirmed.body.recovery_codes };
}

export interface Guarded extends SignedUp {
  secret: string;
  recovery_codes: string[];
}

/** Signs up an account with a second factor. */
export async function signUpGuarded(
  world: World,
  gateway: Gateway,
  name = 'ada',
): Promise<Guarded> {
  const person = await signUp(world, gateway, name);
  return { ...person, ...(await addTotp(world, person)) };
}

/** Makes current codes valid again, so that no test waits for the next 30-second step. */
export const forgetSteps = ({ query }: Pick<World, 'query'>, accountId: string) =>
  query('UPDATE account_totp SET last_step = 0 WHERE account_id = $1', [accountId]);

export interface PendingSignIn {
  second_factor: { token: string; methods: string[] };
}

/** Signs in with the password up to the pending second factor. */
export async function challenge({ person, email, password }: SignedUp): Promise<PendingSignIn> {
  const { status, body } = await createPerson(person.url).ask<PendingSignIn>({
    path: '/api/auth/login',
    body: { email, password },
  });
  if (status !== 200 || !('second_factor' in body)) throw new Error(`not challenged: ${status}`);
  return body;
}

/** Completes a pending sign-in, by default from a new address. */
export const answer = (
  { url }: { url: string },
  body: Record<string, unknown>,
  person = createPerson(url),
) =>
  person.ask<Errors & { access_token: string; user: { id: string } }>({
    path: '/api/auth/login/second-factor',
    body,
  });

/** A session, with the password if the account has one. */
type MaybePasswordless = Pick<SignedUp, 'person' | 'bearer'> & { password?: string | undefined };

/** Adds a passkey over HTTP. */
export async function addPasskey(
  { person, bearer, password }: MaybePasswordless,
  authenticator: Authenticator,
  name = 'Phone',
): Promise<{ id: string; recovery_codes: string[] | null }> {
  const options = await creationOptions({ person, bearer, password });
  const added = await person.ask<{ passkey: { id: string }; recovery_codes: string[] | null }>({
    path: '/api/user/passkeys',
    body: { name, response: authenticator.create(options) },
    headers: bearer,
  });
  if (added.status !== 201) throw new Error(`passkey: ${JSON.stringify(added)}`);
  return { id: added.body.passkey.id, recovery_codes: added.body.recovery_codes };
}

export async function creationOptions({
  person,
  bearer,
  password,
}: MaybePasswordless): Promise<CreationOptions> {
  const { body } = await person.ask<{ options: CreationOptions }>({
    path: '/api/user/passkeys/options',
    body: { current_password: password },
    headers: bearer,
  });
  return body.options;
}

/** Begins a passwordless sign-in and returns the options the authenticator signs. */
export async function passkeyOptions({ url }: { url: string }, person = createPerson(url)) {
  const { body } = await person.ask<{ token: string; options: RequestOptions }>({
    method: 'POST',
    path: '/api/auth/passkey/options',
  });
  return body;
}

export const signInByPasskey = (
  { url }: { url: string },
  body: Record<string, unknown>,
  person = createPerson(url),
) => person.ask<Errors & { user: { id: string } }>({ path: '/api/auth/passkey', body });

/** Creates a stub of organizations in which SSO is required of at most one account. */
export function createSsoRule() {
  const rule = {
    requiredOf: null as string | null,
    organizations: {
      requiresSso: async (_connection: unknown, accountId: string) => accountId === rule.requiredOf,
      solelyOwnedOrganizations: async () => [],
    },
  };
  return rule;
}
