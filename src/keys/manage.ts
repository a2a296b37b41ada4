import { randomUUID } from 'node:crypto';
import type { Action } from '../caller/actions.ts';
import type { Actor, Authz } from '../authz/authz.ts';
import type { SessionCaller } from '../caller/caller.ts';
import { newId } from '../platform/ids.ts';
import { absent } from '../platform/refusal.ts';
import { hashSecret } from '../platform/secrets.ts';
import { refuse, refuseKey, refuseName } from './guards.ts';
import type { Guards } from './guards.ts';
import {
  agentUnavailable,
  grantProblems,
  isUnchanged,
  notMember,
  policyProblems,
} from './rules.ts';
import type { KnownItems } from './rules.ts';
import type { CreatedKey, Grant, KeyDraft, KeyEdit, KeyRecord, Policies } from './schema.ts';
import { countKeys, insertKey, revokeKey, updateKey } from './store.ts';
import type { KeyRow } from './store.ts';

export interface ManagementDependencies {
  authz: Pick<Authz, 'change'>;
  guards: Guards;
  known(account_id: string, sent: Pick<KeyEdit, keyof Policies>): Promise<KnownItems>;
}

// `sk_` and the first four characters of the UUID: enough to tell keys apart, nothing to guess by.
const PREFIX_LENGTH = 7;

// Expired ones are among them: they are listed, hold their names and may be given a later end.
const MOST_KEYS = 1_000;

/** Makes, changes and ends keys; each is one change of their account's authority. */
export function createManagement({ authz, guards, known }: ManagementDependencies) {
  return {
    async create(caller: SessionCaller, draft: KeyDraft, actor: Actor): Promise<CreatedKey> {
      await guards.requireManagement(caller);
      await guards.requireFreeName(caller, draft.name, null);
      refuse([
        ...grantProblems(draft.grants),
        ...(draft.org_scope === null ? [] : [notMember('/org_scope')]),
        ...policyProblems(draft, null, await known(caller.account_id, draft)),
        ...(draft.default_agent_id === null ? [] : [agentUnavailable()]),
        ...(await guards.expiryProblems(draft.expires_at, null)),
      ]);
      const text = `sk_${randomUUID()}`;
      const secret = { hash: hashSecret(text), prefix: text.slice(0, PREFIX_LENGTH) };
      const key = { id: newId(), account_id: caller.account_id };
      const saved = { ...draft, grants: asSets(draft.grants) };
      const row = await authz.change({
        ...changeOf(key, actor, 'key.create'),
        basis: caller.lane,
        async work(transaction) {
          const made = await insertKey(transaction, { ...key, draft: saved, secret });
          if (made === null) return refuseName();
          // Under the scope's lock: of keys made at once, the last are refused.
          if ((await countKeys(transaction, key.account_id)) > MOST_KEYS) return refuseKey();
          return made;
        },
      });
      return { ...recordOf(row), secret: text };
    },

    async update(caller: SessionCaller, id: string, edit: KeyEdit, actor: Actor) {
      await guards.requireManagement(caller);
      const stored = await guards.getKey(caller, id);
      if (edit.name !== undefined) await guards.requireFreeName(caller, edit.name, id);
      refuse([
        ...grantProblems(edit.grants ?? []),
        ...policyProblems(edit, stored, await known(caller.account_id, edit)),
        ...(edit.default_agent_id == null ? [] : [agentUnavailable()]),
        ...(await guards.expiryProblems(edit.expires_at ?? null, stored.expires_at)),
      ]);
      const key = { id, account_id: caller.account_id };
      const saved = edit.grants ? { ...edit, grants: asSets(edit.grants) } : edit;
      if (isUnchanged(saved, stored)) return recordOf(stored);
      const row = await authz.change({
        ...changeOf(key, actor, 'key.update'),
        basis: caller.lane,
        async work(transaction) {
          const updated = await updateKey(transaction, key, saved);
          if (updated === 'named') return refuseName();
          if (updated === null) throw absent();
          return updated;
        },
      });
      return recordOf(row);
    },

    async revoke(caller: SessionCaller, id: string, actor: Actor): Promise<void> {
      await guards.getKey(caller, id);
      const key = { id, account_id: caller.account_id };
      await authz.change({
        ...changeOf(key, actor, 'key.revoke'),
        basis: null,
        async work(transaction) {
          if (!(await revokeKey(transaction, key))) throw absent();
        },
      });
    },
  };
}

/** A key as it is shown: no organization and no agent to name yet. */
export function recordOf(row: KeyRow): KeyRecord {
  const { account_id: _owner, expired, ...fields } = row;
  return {
    ...fields,
    org_scope: null,
    default_agent: null,
    status: expired ? 'expired' : 'active',
  };
}

const changeOf = (key: { id: string; account_id: string }, actor: Actor, reason: Action) => ({
  actor,
  reason,
  scope: { kind: 'account' as const, id: key.account_id },
  units: [{ type: 'api_key' as const, id: key.id }],
});

const asSets = (grants: readonly Grant[]): Grant[] =>
  grants.map((grant) => ({ ...grant, permissions: [...new Set(grant.permissions)] }));
