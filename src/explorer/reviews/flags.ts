import { everyTeamGrant, organizationPermissions } from '../../authz/permissions.ts';
import type { SubjectRow } from '../subjects/store.ts';
import type { Flag, ReviewEntry } from './schema.ts';

const UNUSED_MS = 90 * 24 * 60 * 60 * 1_000;
const BROAD = organizationPermissions.length / 2;
const VIEWS = /^can_view_/;

/** Returns the flags of a subject; the schema says what each means. */
export function flagsOf(
  row: SubjectRow,
  { permissions, team_permissions }: Pick<ReviewEntry, 'permissions' | 'team_permissions'>,
  now: number,
): Flag[] {
  const isCredential = row.kind !== 'member';
  const lastUse = Math.max(
    Date.parse(row.created_at),
    Date.parse(row.last_used_at ?? row.created_at),
  );
  const all = [permissions, ...team_permissions.map((one) => one.permissions)].flat();
  const writes = all.some((name) => !VIEWS.test(name));
  const holding: Record<Flag, boolean> = {
    unused_90_days: isCredential && lastUse < now - UNUSED_MS,
    broad: permissions.includes(everyTeamGrant) || permissions.length >= BROAD,
    writes,
    owner_left: isCredential && !row.is_member,
    no_owner: isCredential && row.account_id === null,
    follows_all_teams: isCredential && row.follows,
    unrestricted: isCredential && writes && !row.is_restricted,
  };
  return (Object.keys(holding) as Flag[]).filter((flag) => holding[flag]);
}
