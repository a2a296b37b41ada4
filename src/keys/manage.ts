import { randomUUID } from 'node:crypto';
import type { Action } from '../caller/actions.ts';
import type { Actor, Authz } from '../authz/authz.ts';
import type { SessionPrincipal } from '../caller/principal.ts';
import { scopeName } from '../caller/scope.ts';
import { newId } from '../platform/ids.ts';
import { absent, throwIfAny } from '../platform/errors/refusal.ts';
import { hashSecret } from '../platform/secrets.ts';
import { MAX_KEYS, throwTooManyKeys, throwNameTaken } from './guards.ts';
import type { Guards } from './guards.ts';
import { createValidateKeyDraft } from './validate-draft.ts';
import type { ValidateKeyDraftDependencies } from './validate-draft.ts';
import { shownAgent } from './default-agents.ts';
import type { ReachAgent } from './default-agents.ts';
import { grantProblems, isUnchanged, MAX_PROBLEMS } from './rules.ts';
import type { CreatedKey, Grant, KeyDraft, KeyEdit, KeyRecord } from './schema.ts';
import { countKeys, findKey, insertKey, revokeKey, updateKey } from './store.ts';
import type { KeyRow } from './store.ts';
import { contextOf } from './tuples.ts';

export interface KeyManagementDependencies extends ValidateKeyDraftDependencies {
  authz: Pick<Authz, 'change'>;
  guards: Guards;
}

// `sk_` and the first four characters of the UUID: enough to tell keys apart, too little to help in
// guessing one.
const PREFIX_LENGTH = 7;

/** Creates, updates and revokes keys; each is one change of the account's authority. */
export const createKeyManagement = (dependencies: KeyManagementDependencies) => ({
  create: createKeyCreation(dependencies),
  update: createKeyUpdate(dependencies),
  revoke: createKeyRevocation(dependencies),
});

function createKeyCreation(dependencies: KeyManagementDependencies) {
  const { authz, guards, namedProblems } = dependencies;
  const validateKeyDraft = createValidateKeyDraft(dependencies);
  return async function create(
    caller: SessionPrincipal,
    draft: KeyDraft,
    actor: Actor,
  ): Promise<CreatedKey> {
    await guards.requireFreeName(caller, draft.name, null);
    const { person: account_id } = caller;
    const { problems, naming, reach } = await validateKeyDraft(caller, draft);
    throwIfAny(problems, MAX_PROBLEMS);
    const text = `sk_${randomUUID()}`;
    const secret = { hash: hashSecret(text), prefix: text.slice(0, PREFIX_LENGTH) };
    const key = { id: newId(), account_id };
    const saved = { ...draft, grants: asSets(draft.grants) };
    const row = await authz.change({
      ...changeOf(key, actor, 'key.create'),
      basis: caller.scopes,
      async work(transaction) {
        throwIfAny(await namedProblems(transaction, naming), MAX_PROBLEMS);
        const inserted = await insertKey(transaction, { ...key, draft: saved, secret });
        if (inserted === null) return throwNameTaken();
        // Counted under the scope's lock, so that concurrent creations cannot exceed the limit.
        if ((await countKeys(transaction, key.account_id)) > MAX_KEYS) return throwTooManyKeys();
        return inserted;
      },
    });
    return { ...recordOf(row, reach), secret: text };
  };
}

function createKeyUpdate({
  database,
  authz,
  guards,
  agents,
  namedProblems,
}: KeyManagementDependencies) {
  return async function update(caller: SessionPrincipal, id: string, edit: KeyEdit, actor: Actor) {
    const stored = await guards.getKey(caller, id);
    if (edit.name !== undefined) await guards.requireFreeName(caller, edit.name, id);
    const { person: account_id } = caller;
    const assignments = [edit.default_agent_id, stored.default_agent_id];
    const reach = await agents.reachFor(caller, assignments);
    const naming = { account_id, sent: edit, reach };
    const problems = [
      ...grantProblems(edit.grants ?? []),
      ...(await namedProblems(database.pool, { ...naming, stored })),
      ...(await guards.expiryProblems(edit.expires_at ?? null, stored.expires_at)),
    ];
    throwIfAny(problems, MAX_PROBLEMS);
    const key = { id, account_id };
    const saved = edit.grants ? { ...edit, grants: asSets(edit.grants) } : edit;
    if (isUnchanged(saved, stored)) return recordOf(stored, reach);
    const row = await authz.change({
      ...changeOf(key, actor, 'key.update'),
      basis: caller.scopes,
      async work(transaction) {
        // Read again: an item deleted in the meantime has been removed from the stored policies.
        const now = await findKey(transaction, key);
        if (now === null) throw absent();
        throwIfAny(await namedProblems(transaction, { ...naming, stored: now }), MAX_PROBLEMS);
        const updated = await updateKey(transaction, key, saved);
        if (updated === 'name_taken') return throwNameTaken();
        if (updated === null) throw absent();
        return updated;
      },
    });
    return recordOf(row, reach);
  };
}

function createKeyRevocation({
  authz,
  guards,
}: Pick<KeyManagementDependencies, 'authz' | 'guards'>) {
  return async function revoke(caller: SessionPrincipal, id: string, actor: Actor): Promise<void> {
    await guards.getKey(caller, id);
    const key = { id, account_id: caller.person };
    await authz.change({
      ...changeOf(key, actor, 'key.revoke'),
      basis: null,
      async work(transaction) {
        if (!(await revokeKey(transaction, key))) throw absent();
      },
    });
  };
}

/** Returns a key as shown; `org_scope` is null, since no key belongs to an organization yet. */
export function recordOf(row: KeyRow, reach: ReachAgent): KeyRecord {
  const { account_id: _owner, default_agent_id: _assigned, expired, ...fields } = row;
  return {
    ...fields,
    org_scope: null,
    default_agent: shownAgent(row, reach),
    status: expired ? 'expired' : 'active',
  };
}

function changeOf(key: { id: string; account_id: string }, actor: Actor, reason: Action) {
  const context = contextOf(key);
  return {
    ...{ actor, reason },
    writes: [context] as const,
    objects: [{ object: scopeName(context), subject: `api_key:${key.id}` }],
    targets: [{ type: 'api_key', id: key.id }],
  };
}

const asSets = (grants: readonly Grant[]): Grant[] =>
  grants.map((grant) => ({ ...grant, permissions: [...new Set(grant.permissions)] }));
