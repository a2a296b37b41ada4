import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { authorityOf } from './caller/actor.ts';
import { registerDevDemo } from './gateway/pages/dev-demo.ts';
import { parseShape } from './gateway/http/request-body.ts';
import type { Route } from './caller/route.ts';
import type { Parts } from './parts.ts';
import { systemClock } from './platform/clock.ts';
import { isRefusal } from './platform/errors/refusal.ts';
import { newId } from './platform/ids.ts';
import type { Config } from './platform/config/config.ts';
import { routesOf } from './rest-routes.ts';
import { createDemo, firstRunToken } from './seed/demo/demo.ts';
import { createSeed, RequestRefused } from './seed/seed.ts';
import type { OperatorActions, Requests, Session } from './seed/seed.ts';

type App = Parameters<typeof registerDevDemo>[0];
type Inject = App['inject'];
type NewPerson = Parameters<Parts['accounts']['operator']['create']>[0];

/** Fills a deployment from seed files or with the demo, through the REST routes of this process. */
export function createSeeding(config: Config, parts: Parts, inject: Inject) {
  const { catalog, organizations, limits, audit, keys } = parts;
  const requests = createRequests(config, parts, inject);
  const operator = createOperator(parts);
  const builtIn = { tools: catalog.tools(), prompts: catalog.prompts() };
  const seed = createSeed({ builtIn, requests, operator });
  return {
    seed,
    demo: createDemo({
      ...{ seed, requests, operator, record: parts.demoRecord, tools: builtIn.tools },
      hasOrganizations: async () => !(await organizations.operations.list().next()).done,
      recordPastCalls: limits.recordPast,
      recordPastEvents: audit.recordPast,
      recordUses: (ids) => ids.forEach(keys.recordUse),
      backdateKeys: keys.backdate,
      publicUrl: config.PUBLIC_URL,
      dashboardUrl: config.DASHBOARD_URL,
      now: systemClock.now,
    }),
  };
}
export type Seeding = ReturnType<typeof createSeeding>;

/**
 * Returns the plugin that loads and removes the demo over HTTP, for a local start only: elsewhere, the
 * operator does that by command.
 */
export const demoPluginsOf = (config: Config, parts: Parts, origins: ReadonlySet<string>) =>
  config.DEV_MAIL === 'on'
    ? [
        (scope: App) =>
          registerDevDemo(scope, {
            demo: createSeeding(config, parts, scope.inject.bind(scope)).demo,
            isUsed: parts.accounts.operator.isUsed,
            findSignedIn: parts.accounts.findSignedIn,
            token: firstRunToken(parts.secrets),
            origins,
          }),
      ]
    : [];

/** Sends requests to the gateway's own routes without a connection. */
function createRequests(config: Config, parts: Parts, inject: Inject): Requests {
  let schemas: ReadonlyMap<string, Route['body']> | undefined;
  const readRoutes = () =>
    new Map(routesOf(config, parts).map(({ method, path, body }) => [`${method} ${path}`, body]));
  // Most processes seed nothing: they need not define all routes again.
  const schemaOf = (route: string) => (schemas ??= readRoutes()).get(route);
  const { host } = new URL(config.PUBLIC_URL);
  return {
    read(route, body) {
      const schema = schemaOf(route);
      return schema === undefined ? body : parseShape(schema, body, 'invalid_body');
    },
    async send(token, route, params, body) {
      const [method, path] = route.split(' ') as [
        'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
        string,
      ];
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
      // A creation can then be repeated even if the first one was saved (decisions/0044).
      const once = method === 'POST' ? { 'idempotency-key': newId() } : {};
      const headers = { host, authorization: `Bearer ${token}`, ...once };
      const payload = body === undefined ? {} : { payload: { ...body } };
      return patiently(async () => {
        const response = await inject({ method, url, headers, ...payload });
        if (response.statusCode >= 400)
          throw new RequestRefused(response.statusCode, response.json().errors);
        return response.body === '' ? {} : response.json();
      });
    },
  };
}

const MAX_TRIES = 10;
const PAUSE_MS = 1_000;

/** Repeats work while a server is unavailable: nobody is there to try again. */
async function patiently<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || tries === MAX_TRIES) throw error;
      await setTimeout(PAUSE_MS);
    }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof RequestRefused
    ? error.status === 503
    : isRefusal(error) && error.kind === 'unavailable';

// For work that is decided again because something changed at the same time.
const RETRY_MS = 30_000;

/** Work for which there is no route: accounts without a mailbox, members without an invitation, plans. */
function createOperator({ accounts, organizations, authz }: Parts): OperatorActions {
  const { operator } = accounts;

  const memberOf = ({ token }: Session, organization_id: string) =>
    accounts.sessions.authenticate(token, organization_id);

  const decided = <Value>(work: () => Promise<Value>): Promise<Value> =>
    patiently(() =>
      authz.retry({
        ...{ attempt: work, retry: work, contended: null },
        until: performance.now() + RETRY_MS,
      }),
    );

  return {
    findAccount: operator.find,
    checkPerson: (person) => operator.check(person as NewPerson),
    createAccount: (person) => operator.create(person as NewPerson),
    deleteAccount: (id) => decided(() => operator.delete(id)),
    deleteOrganization: (session, { id, name }) =>
      decided(async () => {
        const owner = await memberOf(session, id);
        await organizations.delete(owner, id, { confirm: name }, session.request);
      }),
    join: (session, member) =>
      decided(async () => {
        const owner = await memberOf(session, member.organization_id);
        await organizations.join(member, authorityOf(owner, session.request));
      }),
    async setPlan(kind, id, plan) {
      if (kind === 'person') await accounts.setPlan(id, plan);
      else await organizations.operations.setPlan(id, plan);
    },
    openSession: (id) => patiently(() => operator.openSession(id)),
    newPassword: () => randomBytes(18).toString('base64url'),
  };
}
