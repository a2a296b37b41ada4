import type { Tuple } from '../../authz/authz.ts';
import type { Action } from '../../caller/actions.ts';
import type { SoughtChange } from './store.ts';

/** The changes that write a tuple, by the type of the object that they are made on. */
const ACTIONS = {
  organization: ['organization.create'],
  account: ['member.join', 'member.update', 'organization.transfer'],
  seat: ['team_member.add', 'team_member.update', 'member.join'],
  team: ['team.create'],
  key: ['key.create', 'key.update'],
  connection: ['connection.create', 'connection.update'],
  role: ['role.create', 'role.update'],
  team_role: ['team_role.create', 'team_role.update'],
} as const satisfies Record<string, readonly Action[]>;

const CREDENTIALS: Readonly<Record<string, 'key' | 'connection'>> = {
  api_key: 'key',
  org_key: 'key',
  connection: 'connection',
  machine: 'connection',
};

/**
 * Returns the changes one of which wrote a tuple: that of the credential that it names or, if it names
 * none, of the object. None is returned for what the product defines, such as system roles.
 */
export function soughtChanges({ user, relation, object }: Tuple): SoughtChange[] {
  const [userType, userId] = split(user);
  const [type, id] = split(object);
  const [home, holder] = id.split('.') as [string, string | undefined];
  const of = (kind: keyof typeof ACTIONS, target_id: string, account_id: string | null = null) =>
    ACTIONS[kind].map((action) => ({ action, target_id, account_id }));

  const credential = CREDENTIALS[userType];
  if (credential !== undefined) return of(credential, userId, type === 'account' ? id : holder);
  // A seat is linked to its service when the service's credential is bound.
  if (userType === 'service') return [...of('key', holder!), ...of('connection', holder!)];
  if (type === 'membership' && relation === 'team_seat') return of('seat', holder!);
  if (type === 'membership') return [...of('account', holder!), ...of('organization', home)];
  if (type === 'team_seat') return [...of('seat', holder!), ...of('team', home)];
  if (type === 'org_role') return of('role', id);
  if (type === 'team_role') return of('team_role', id);
  return [];
}

function split(text: string): [string, string] {
  const at = text.indexOf(':');
  return [text.slice(0, at), text.slice(at + 1)];
}
