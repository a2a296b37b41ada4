import { OWNER_ROLE } from '../caller/system-roles.ts';
import { OperatorError } from '../platform/errors/operator-error.ts';
import { isRefusal } from '../platform/errors/refusal.ts';
import { problemAt } from './check.ts';
import { createNames } from './names.ts';
import type { BuiltIn, Kind, KnownNames, Name } from './names.ts';
import type { OperatorActions, Session } from './operator.ts';
import { listed, RequestRefused } from './requests.ts';
import type { Requests } from './requests.ts';
import type { Checked } from './check.ts';
import type { Problem } from './source.ts';
import type { Body, RouteName, Step } from './steps/step.ts';

export interface WriteDependencies {
  builtIn: BuiltIn;
  requests: Requests;
  operator: OperatorActions;
}

/** A secret that was created, to be shown once. */
export interface Secret {
  kind: 'password' | 'key' | 'client_secret';
  /** The address of a person, or the name of the credential. */
  name: string;
  /** The place of a credential: a person's address or an organization. */
  owner: string;
  secret: string;
  /** The `client_id` of an OAuth client. */
  client_id?: string;
}

export interface Written {
  created: readonly (Name & { id: string })[];
  /** Number of those that existed. */
  existing: number;
  secrets: readonly Secret[];
}

/** Thrown when a rule refused a step; what had been created before was removed again. */
export class StepRefused extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ message }) => message).join(' '));
    this.name = 'StepRefused';
    this.problems = problems;
  }
}

/**
 * Creates what does not exist yet, by name. If a step is refused, undoes those before it, latest
 * first, and throws `StepRefused`.
 */
export async function writeSteps(
  { file, steps }: Checked,
  dependencies: WriteDependencies,
): Promise<Written> {
  const organizations = file.organizations.map(({ name }) => name);
  const names = createNames(dependencies.builtIn, organizations, []);
  const sessions = createSessions(dependencies.operator, names);
  const undo: (() => Promise<unknown>)[] = [];
  const created: Written['created'][number][] = [];
  const secrets: Secret[] = [];
  try {
    for (const step of steps) {
      const result = await take(step, { ...dependencies, names, sessions }).catch(
        (error: unknown) => {
          throw placed(step, error);
        },
      );
      if (result === null) continue;
      undo.push(result.undo);
      if (step.plan !== undefined)
        await dependencies.operator.setPlan(planOwner(step.name!.kind), result.id, step.plan);
      if (step.name !== null) created.push({ ...step.name, id: result.id });
      if (result.secret) secrets.push(result.secret);
    }
  } catch (error) {
    await undoAll(undo.toReversed(), error);
    throw error;
  } finally {
    await sessions.end();
  }
  const existing = steps.filter(({ name }) => name !== null).length - created.length;
  return { created, existing, secrets };
}

/** Undoes all that it can. Throws if something is left, since the file must then not count as unsaved. */
async function undoAll(undo: readonly (() => Promise<unknown>)[], cause: unknown): Promise<void> {
  let left = 0;
  for (const one of undo) await one().catch(() => (left += 1));
  if (left === 0) return;
  const message = cause instanceof Error ? cause.message : 'The file was not applied.';
  throw new OperatorError(
    `${message} ${left} of the entries created before could not be removed: remove them by hand.`,
    { cause },
  );
}

interface Context extends WriteDependencies {
  names: KnownNames;
  sessions: ReturnType<typeof createSessions>;
}

interface Taken {
  id: string;
  secret?: Secret;
  undo(): Promise<unknown>;
}

/** Takes a step; returns null if it was not necessary. */
async function take(step: Step, context: Context): Promise<Taken | null> {
  const { names } = context;
  if (step.name === null) return replace(step, context);
  const found = await find(step, context);
  if (found !== null) {
    names.set(step.name, found);
    return null;
  }
  const taken = await create(step, context);
  names.set(step.name, taken.id);
  return taken;
}

const planOwner = (kind: Kind) => (kind === 'person' ? 'person' : 'organization');

/** Returns the id of what a step would create, if it exists. */
async function find(step: Step, context: Context): Promise<string | null> {
  const { requests, operator, names, sessions } = context;
  const { kind, name } = step.name!;
  if (kind === 'person') return operator.findAccount(name);
  const route = step.route.replace('POST', 'GET') as RouteName;
  const token = (await sessions.of(step.by)).token;
  for await (const entry of listed(requests, token, route, step.params(names)))
    if (isNamed(entry, step)) return idOf(entry);
  return null;
}

const CASELESS: ReadonlySet<Kind> = new Set(['role', 'team_role', 'member']);

/** Compares names as the service does. Of several organizations with a name, the Owner's own counts. */
function isNamed(entry: Body, { name, named_by = 'name' }: Step): boolean {
  const { kind } = name!;
  const fold = (text: string) => (CASELESS.has(kind) ? text.toLowerCase() : text);
  if (fold(String(entry[named_by])) !== fold(name!.name.normalize('NFC').trim())) return false;
  return kind !== 'organization' || isOwned(entry);
}

/** Returns whether a person is the Owner of an organization in their list. */
export const isOwned = ({ membership }: Body): boolean =>
  (membership as { roles: readonly { id: string }[] }).roles.some(({ id }) => id === OWNER_ROLE);

const idOf = (entry: Body): string => String(entry['id'] ?? entry['account_id']);

async function create(step: Step, context: Context): Promise<Taken> {
  const { requests, operator, names, sessions } = context;
  const body = step.body(names);
  const { kind, name } = step.name!;
  if (kind === 'person') return createPerson(name, body, operator);
  const params = step.params(names);
  const token = (await sessions.of(step.by)).token;
  if (kind === 'member' && params['team_id'] === undefined) {
    const account_id = String(body['account_id']);
    const member = { account_id, role_ids: body['role_ids'] as string[] };
    const owner = await sessions.of(step.by);
    await operator.join(owner, { ...member, organization_id: params['organization_id']! });
    return { id: account_id, undo: () => remove(step, account_id, context) };
  }
  const entry = await requests.send(token, step.route, params, body);
  const id = idOf(entry);
  const secret = secretOf(step, entry);
  return { id, ...(secret && { secret }), undo: () => remove(step, id, context) };
}

async function createPerson(email: string, body: Body, operator: OperatorActions): Promise<Taken> {
  const password = operator.newPassword();
  const id = await operator.createAccount({ ...body, password });
  const secret: Secret = { kind: 'password', name: email, owner: email, secret: password };
  return { id, secret, undo: () => operator.deleteAccount(id) };
}

function secretOf({ name }: Step, entry: Body): Secret | null {
  const owner = name!.within.replace(/^organization /, '');
  const own = { name: name!.name, owner };
  if (typeof entry['secret'] === 'string') return { ...own, kind: 'key', secret: entry['secret'] };
  if (typeof entry['client_secret'] !== 'string') return null;
  const client_id = String(entry['id']);
  return { ...own, kind: 'client_secret', secret: entry['client_secret'], client_id };
}

async function remove(step: Step, id: string, { requests, operator, names, sessions }: Context) {
  if (step.name!.kind === 'organization')
    return operator.deleteOrganization(await sessions.of(step.by), { id, name: step.name!.name });
  const route = `${step.route.replace('POST', 'DELETE')}/${id}` as RouteName;
  return requests.send((await sessions.of(step.by)).token, route, step.params(names), step.removal);
}

/** Replaces settings; undoing it puts back what was there. */
async function replace(step: Step, { requests, names, sessions }: Context): Promise<Taken> {
  const params = step.params(names);
  const token = (await sessions.of(step.by)).token;
  const before = await requests.send(token, step.route.replace('PUT', 'GET') as RouteName, params);
  await requests.send(token, step.route, params, step.body(names));
  return { id: '', undo: () => requests.send(token, step.route, params, before) };
}

/** Opens a session for each person who creates something, once. */
function createSessions({ openSession }: OperatorActions, names: KnownNames) {
  const open = new Map<string, Session>();
  return {
    async of(email: string): Promise<Session> {
      const id = names.id({ kind: 'person', within: '', name: email }, []);
      const session = open.get(email) ?? (await openSession(id));
      open.set(email, session);
      return session;
    },
    async end(): Promise<void> {
      for (const session of open.values()) await session.end();
    },
  };
}

/** Turns a refusal of a step into problems of its place in the file. */
function placed(step: Step, error: unknown): unknown {
  if (error instanceof RequestRefused)
    return new StepRefused(error.errors.map((one) => problemAt(step, one)));
  if (isRefusal(error)) return new StepRefused(error.problems.map((one) => problemAt(step, one)));
  return error;
}
