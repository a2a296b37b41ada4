import { randomUUID } from 'node:crypto';
import type { Action } from '../../../src/caller/actions.ts';
import { httpStatus, isRefusal } from '../../../src/platform/errors/refusal.ts';
import { createPerson, goodPassword, newEmail } from '../../support/people/people.ts';
import type { Answer, SendRequest, SignedUp } from '../../support/people/people.ts';
import type { OpenIdServer } from '../../support/people/openid-server.ts';
import type { DnsServer } from '../../support/servers/dns-server.ts';
import { createVisitor, followProvider } from '../../support/people/visitor.ts';
import type { Visitor } from '../../support/people/visitor.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

export interface ActionContext {
  world: World;
  /** OpenID provider configured in the gateway. */
  provider: OpenIdServer;
  /** Name server of the gateway. */
  dns: DnsServer;
  gateway: Gateway;
  ada: SignedUp;
}

export interface Prepared {
  /** Sends the one request whose audit row is expected. */
  ask(): Promise<Answer<unknown>>;
  /** Returns the expected fields of that row. */
  expected(answer: Answer<unknown>): ExpectedRow | Promise<ExpectedRow>;
}

export interface ExpectedRow {
  /** The account whose audit log contains the row; defaults to the person's own. */
  account?: string;
  /** Scopes that each get a row; the account by default. */
  scopes?: { kind: string; id: string }[];
  /** The number of transactions that the action takes; one by default. */
  changes?: number;
  /** The session of the request, or null if there is none; defaults to the person's own. */
  credential?: string | null;
  target?: { type: string; id: string }[];
  outcome?: 'done' | 'refused';
  detail?: object;
  /** Performed by an operator on the machine, without a request. */
  isOperator?: true;
  /** Performed by a directory, with this token. */
  scim_token?: string;
  /** Further actions of the same request, each in its own row. */
  otherActions?: Action[];
}

export type PrepareAction = (context: ActionContext) => Promise<Prepared>;

export const byAda = ({ ada }: ActionContext, request: SendRequest) =>
  ada.person.ask<unknown>({ ...request, headers: { ...ada.bearer, ...request.headers } });
export const login = ({ ada }: ActionContext, password: string) =>
  createPerson(ada.person.url).ask<{ access_token: string }>({
    path: '/api/auth/login',
    body: { email: ada.email, password },
  });
export const accountOf = ({ ada }: ActionContext) => ({ type: 'account', id: ada.account_id });
export const sessionOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).sid;

export const current_password = goodPassword;
export const idOf = async (
  { world }: ActionContext,
  table: string,
  column: string,
  value: string,
) => {
  const rows = await world.query<{ id: string }>(`SELECT id FROM ${table} WHERE ${column} = $1`, [
    value,
  ]);
  return rows[0]!.id;
};

/** Signs a new person in at the provider; `ask` sends the callback to the service. */
export async function prepareCallback(
  { gateway, provider }: ActionContext,
  location: string,
  flow?: string,
) {
  const visitor = createVisitor(gateway.url);
  if (flow !== undefined) visitor.jar.set('flow', { value: flow, path: '/api/auth' });
  provider.person = { sub: randomUUID(), email: newEmail(), email_verified: true };
  const { person } = provider;
  const back =
    location === '' ? await visitor.signInAtProvider('oidc') : await followProvider(location);
  const ask = () => browse(visitor, back);
  return { ask, email: String(person.email), subject: String(person.sub) };
}

/** Requests a page in a browser. */
export async function browse(visitor: Visitor, location: string): Promise<Answer<unknown>> {
  const { status, body } = await visitor.go(location);
  const parsed: unknown = body === '' ? undefined : JSON.parse(body);
  return { status, body: parsed, headers: new Headers(), cookies: new Map() };
}

/** Starts linking the provider to the account, up to the last request. */
export async function prepareLinking(context: ActionContext) {
  const { body, cookies } = await context.ada.person.ask<{ location: string }>({
    path: '/api/user/identities',
    body: { provider: 'oidc', current_password },
    headers: context.ada.bearer,
  });
  const { ask, subject } = await prepareCallback(context, body.location, cookies.get('flow'));
  return { ask, id: () => idOf(context, 'account_identity', 'subject', subject) };
}

/** Runs an operator's action; returns a refusal as REST would. */
export async function runAsOperator(work: Promise<unknown>): Promise<Answer<unknown>> {
  const refusal = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (refusal !== null && !isRefusal(refusal)) throw refusal;
  return {
    status: refusal === null ? 200 : httpStatus[refusal.kind],
    body: refusal === null ? undefined : { errors: refusal.problems },
    headers: new Headers(),
    cookies: new Map(),
  };
}

export const operatorChange = (
  context: ActionContext,
  status: 'active' | 'deactivated',
): Prepared => ({
  ask: () => runAsOperator(context.gateway.service.activate(context.ada.email, status)),
  expected: () => ({ isOperator: true, target: [accountOf(context)] }),
});
