import { randomUUID } from 'node:crypto';
import { capturing, requestedBy } from '../authz/authz.ts';
import type { Actor, Authz } from '../authz/authz.ts';
import type { Authority } from '../caller/actor.ts';
import { always } from '../caller/once.ts';
import type { Once, Save } from '../caller/once.ts';
import type { Principal } from '../caller/principal.ts';
import {
  apiKeys,
  findServiceScope,
  lockOrganization,
  organizationsOf,
  replaceBindings,
} from '../organizations/organizations.ts';
import { newId } from '../platform/ids.ts';
import type { Transaction } from '../platform/postgres/database.ts';
import { absent, throwIfProblems } from '../platform/errors/refusal.ts';
import { hashSecret } from '../platform/secrets.ts';
import { auditedChange, auditedKey } from './audited.ts';
import { changeOf } from './change.ts';
import { MAX_KEYS, throwTooManyKeys, throwNameTaken } from './guards.ts';
import type { Guards } from './guards.ts';
import { createValidateKeyDraft } from './validate-draft.ts';
import type { ValidateKeyDraftDependencies } from './validate-draft.ts';
import type { ShowKey } from './record.ts';
import { grantProblems, isKeyUnchanged, ownPolicyProblems } from './rules.ts';
import type { CreatedKey, Grant, KeyDraft, KeyEdit, KeyRecord } from './schema.ts';
import { countKeys } from './guards-store.ts';
import { findKey, insertKey, revokeKey, updateKey } from './store.ts';
import type { KeyId, KeyOwner, KeyRow } from './store.ts';

export interface KeyManagementDependencies extends ValidateKeyDraftDependencies {
  authz: Pick<Authz, 'change'>;
  guards: Guards;
  show: ShowKey;
  /** Returns the record of a key after a change of it was committed. */
  showSaved: ShowKey;
}

interface NewKey {
  row: KeyRow;
  secret: string;
}

// `sk_` and the first four characters of the UUID: enough to tell keys apart, too little to help
// guess one.
const PREFIX_LENGTH = 7;

/** Creates, updates and revokes keys, each in one change of authority. */
export const createKeyManagement = (dependencies: KeyManagementDependencies) => {
  const request = createKeyUpdate({ ...dependencies, authz: capturing });
  return {
    create: createKeyCreation(dependencies),
    update: createKeyUpdate(dependencies),
    revoke: createKeyRevocation(dependencies),
    /** Returns the change of an update that passes all its checks; null if nothing would change. */
    requestUpdate: (...sent: Parameters<typeof request>) => requestedBy(() => request(...sent)),
  };
};

function createKeyCreation(dependencies: KeyManagementDependencies) {
  const { database, authz, guards, namedProblems, showSaved } = dependencies;
  const validateKeyDraft = createValidateKeyDraft(dependencies);
  return async function create(
    caller: Principal,
    owner: KeyOwner,
    draft: KeyDraft,
    actor: Actor,
    once: Once = always,
  ): Promise<CreatedKey> {
    const { row, secret } = await once<NewKey>((save) =>
      issue(caller, { owner, draft }, actor, save),
    );
    return { ...(await showSaved(caller, row)), secret };
  };

  async function issue(
    caller: Principal,
    { owner, draft }: { owner: KeyOwner; draft: KeyDraft },
    actor: Actor,
    save: Save<NewKey>,
  ): Promise<NewKey> {
    await guards.requireFreeName(owner, draft.name, null);
    const { problems, naming, basis } = await validateKeyDraft(caller, owner, draft);
    throwIfProblems(problems);
    const text = `sk_${randomUUID()}`;
    const secret = { hash: hashSecret(text), prefix: text.slice(0, PREFIX_LENGTH) };
    const key = { id: newId(), owner };
    const saved = { ...draft, grants: asSets(draft.grants) };
    const change = await changeOf(database.pool, key, draft);
    return authz.change({
      ...{ ...change, actor, reason: 'key.create', basis },
      // The account is written last: the key has no authority without its `principal` tuple there.
      writes: change.writesAtCreation,
      async work(transaction) {
        if (
          owner.kind === 'organization' &&
          (await lockOrganization(transaction, owner.id)) === null
        )
          throw absent('the organization was deleted concurrently');
        throwIfProblems(await namedProblems(transaction, naming));
        const created_by = caller.person;
        const inserted = await insertKey(transaction, { ...key, draft: saved, secret, created_by });
        if (inserted === null) return throwNameTaken();
        // Counted under a lock, so that concurrent creations cannot exceed the limit.
        if ((await countKeys(transaction, owner)) > MAX_KEYS[owner.kind])
          return throwTooManyKeys(owner);
        const bound = await bindToTeams(transaction, key, inserted, draft.team_ids);
        await change.requireCovered(transaction, organizationsOf(bound));
        return save(transaction, { row: bound, secret: text });
      },
      detail: ({ row }, organization_id) => ({ after: auditedKey(row, organization_id) }),
    });
  }
}

function createKeyUpdate({
  database,
  authz,
  guards,
  agents,
  namedProblems,
  checkDelegated,
  show,
  showSaved,
}: KeyManagementDependencies) {
  return async function update(
    caller: Principal,
    key: KeyId,
    sent: KeyEdit,
    actor: Actor,
  ): Promise<KeyRecord> {
    const { id, owner } = key;
    // Read before the key. A person's key is in the caller's own scope.
    const scope = owner.kind === 'organization' ? await findServiceScope(database.pool, id) : null;
    const stored = await guards.getKey(owner, id);
    const { runs_in } = stored;
    const edit = runs_in === null ? withoutTeams(sent) : sent;
    if (edit.name !== undefined) await guards.requireFreeName(owner, edit.name, id);
    const team_ids = edit.team_ids === undefined ? stored.team_ids : edit.team_ids;
    const reach = await agents.reachFor(caller, { owner, runs_in, team_ids }, [
      edit.default_agent_id,
    ]);
    const naming = { owner, sent: edit, runs_in, reach };
    const delegated = await checkDelegated(caller, owner, { ...edit, runs_in }, stored);
    const problems = [
      ...grantProblems(edit.grants ?? []),
      ...delegated.problems,
      ...(runs_in === null ? [] : ownPolicyProblems(edit, false)),
      ...(await namedProblems(database.pool, { ...naming, stored })),
      ...(await guards.expiryProblems(edit.expires_at ?? null, stored.expires_at)),
    ];
    throwIfProblems(problems);
    const saved = edit.grants ? { ...edit, grants: asSets(edit.grants) } : edit;
    if (isKeyUnchanged(saved, stored)) return show(caller, stored);
    const change = await changeOf(database.pool, key, stored, saved);
    const { after } = await authz.change({
      ...{ ...change, actor, reason: 'key.update', creates: [] },
      basis: [...(scope ? [scope] : []), ...delegated.basis],
      async work(transaction) {
        // Read again: an item deleted in the meantime has been removed from the stored policies.
        const current = await findKey(transaction, key);
        if (current === null) throw absent();
        throwIfProblems(await namedProblems(transaction, { ...naming, stored: current }));
        const updated = await updateKey(transaction, key, saved);
        if (updated === 'name_taken') return throwNameTaken();
        if (updated === null) throw absent();
        const bound = await bindToTeams(transaction, key, updated, saved.team_ids);
        await change.requireCovered(transaction, organizationsOf(bound));
        return { before: current, after: bound };
      },
      detail: (versions, organization_id) =>
        auditedChange(versions.before, versions.after, organization_id),
    });
    return showSaved(caller, after);
  };
}

function createKeyRevocation({
  database,
  authz,
  guards,
}: Pick<KeyManagementDependencies, 'database' | 'authz' | 'guards'>) {
  return async function revoke(key: KeyId, { actor, basis }: Authority): Promise<void> {
    const stored = await guards.getKey(key.owner, key.id);
    const change = await changeOf(database.pool, key, stored);
    await authz.change({
      ...{ ...change, actor, reason: 'key.revoke', basis, creates: [] },
      async work(transaction) {
        const current = await findKey(transaction, key);
        if (current === null) throw absent();
        await change.requireCovered(transaction, organizationsOf(current));
        if (!(await revokeKey(transaction, key))) throw absent();
        return current;
      },
      detail: (revoked, organization_id) => ({ before: auditedKey(revoked, organization_id) }),
    });
  };
}

/** Binds a key to the teams, if any were sent, and returns the key. */
async function bindToTeams(
  transaction: Transaction,
  key: KeyId,
  row: KeyRow,
  team_ids: readonly string[] | null | undefined,
): Promise<KeyRow> {
  if (team_ids === undefined || row.runs_in === null) return row;
  const binding = { id: key.id, organization_id: row.runs_in };
  await replaceBindings(transaction, apiKeys, binding, team_ids ?? []);
  return (await findKey(transaction, key)) ?? row;
}

const withoutTeams = ({ team_ids: _ignored, ...edit }: KeyEdit): KeyEdit => edit;

const asSets = (grants: readonly Grant[]): Grant[] =>
  grants.map((grant) => ({ ...grant, permissions: [...new Set(grant.permissions)] }));
