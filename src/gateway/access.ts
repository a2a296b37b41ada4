import { isSession } from '../caller/principal.ts';
import type { Principal } from '../caller/principal.ts';
import type { Access } from '../caller/route.ts';
import { asRefusal } from '../platform/outage.ts';
import { forbidden, unavailable } from '../platform/refusal.ts';
import { interactiveOnly, invalid } from './credentials.ts';

export type Check = (
  caller: Principal,
  relations: readonly string[],
) => Promise<ReadonlyMap<string, boolean>>;

/** Grant name of a permission, as a 403 shows it: `can_view_resources`. */
export type GrantName = (relation: string) => string | null;

/** Asks OpenFGA what the route declares: 401 without a personal grant (G6), 403 without P. */
export async function requireAccess(
  check: Check,
  grantName: GrantName,
  caller: Principal,
  access: Access,
): Promise<void> {
  if (access === 'public' || access === 'caller') return;
  if (access === 'interactive') {
    if (!isSession(caller)) throw interactiveOnly();
    return;
  }
  const permission = access.personal === 'see' ? null : `can_${access.personal}`;
  const asked = permission ? ['can_see', permission] : ['can_see'];
  const answers = await check(caller, asked).catch((error: unknown) => {
    // A defect here must not become the status that a foreign error happens to carry.
    throw asRefusal(error) ?? unavailable('what the caller may do is not known', error);
  });
  if (answers.get('can_see') !== true) throw invalid();
  if (permission && answers.get(permission) !== true)
    throw forbidden('permission_denied', 'This credential lacks the needed permission.', {
      detail: { permission: grantName(access.personal) ?? access.personal },
    });
}
