import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authz } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import {
  apiKeys,
  findMemberships,
  grantFor,
  organizationsOf,
  replaceBindings,
} from '../../organizations/organizations.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import { auditedChange, auditedKey } from '../audited.ts';
import { changeOf } from '../change.ts';
import type { KeyEdit } from '../schema.ts';
import { findKey, revokeKey, updateKey } from '../store.ts';
import type { KeyId, KeyRow } from '../store.ts';
import type { Member } from './store.ts';

/**
 * Returns the edit that takes from a key what it has in an organization; null if nothing is left of
 * the key. A key that runs there cannot run elsewhere, so that it keeps no capability and no team.
 */
function restOf(key: KeyRow, organization_id: string): KeyEdit | null {
  const taken = grantFor(key.grants, organization_id);
  const grants = key.grants.filter((grant) => grant !== taken);
  if (key.org_scope !== organization_id) return { grants };
  return grants.length === 0 ? null : { grants, mcp_capabilities: [], team_ids: [] };
}

/** Creates the function that takes from a member's key what it has in an organization. */
export function createCut({
  database: { pool },
  authz,
}: {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'change'>;
}) {
  return async function cut(id: string, member: Member, authority: Authority): Promise<void> {
    const { organization_id, account_id } = member;
    const key: KeyId = { id, owner: { kind: 'account', id: account_id } };
    const stored = await findKey(pool, key);
    const [membership] = await findMemberships(pool, [member]);
    if (stored === null || membership === undefined || !reaches(stored, organization_id))
      throw absent();
    const isRevoked = restOf(stored, organization_id) === null;
    // The key's tuples in other organizations do not change, so that nothing is recorded there.
    const { objects, targets, requireCovered } = await changeOf(pool, key, stored);
    await authz.change({
      ...{ ...authority, objects, targets, creates: [] },
      reason: isRevoked ? 'key.revoke' : 'key.update',
      writes: [
        { kind: 'account', id: account_id },
        { kind: 'membership', id: membership.id },
      ],
      async work(transaction) {
        const before = await findKey(transaction, key);
        if (before === null || !reaches(before, organization_id)) throw absent();
        await requireCovered(transaction, organizationsOf(before));
        const rest = restOf(before, organization_id);
        if ((rest === null) !== isRevoked) throw new ConcurrentUpdate();
        if (rest !== null) return { before, after: await reduceTo(transaction, key, rest) };
        if (!(await revokeKey(transaction, key))) throw absent();
        return { before, after: null };
      },
      detail: ({ before, after }, audited) =>
        after === null
          ? { before: auditedKey(before, audited) }
          : auditedChange(before, after, audited),
    });
  };
}

/** Reduces a key to the rest, and returns it. */
async function reduceTo(transaction: Transaction, key: KeyId, rest: KeyEdit): Promise<KeyRow> {
  const saved = await updateKey(transaction, key, rest);
  if (saved === null || saved === 'name_taken') throw absent();
  if (rest.team_ids === undefined || saved.runs_in === null) return saved;
  const binding = { id: key.id, organization_id: saved.runs_in };
  await replaceBindings(transaction, apiKeys, binding, rest.team_ids ?? []);
  return { ...saved, team_ids: [] };
}

/** Returns whether a key runs in an organization, or has a grant for it. */
export const reaches = (key: Pick<KeyRow, 'org_scope' | 'grants'>, organization_id: string) =>
  organizationsOf(key).has(organization_id);
