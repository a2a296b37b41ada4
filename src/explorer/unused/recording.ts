import type { Authz } from '../../authz/authz.ts';
import type { PermissionUses } from './uses.ts';

/**
 * Records what credentials are allowed by the checks that a request makes for itself: those of its route and
 * of what it grants. Checks of many objects at once, which lists make, are no use of a permission.
 */
export const recordingUses = (
  authz: Authz,
  uses: Pick<PermissionUses, 'recordAllowed'>,
): Authz => ({
  ...authz,
  async check(caller, relations, object = caller.context, scopes = caller.scopes) {
    const answers = await authz.check(caller, relations, object, scopes);
    // Nearly all checks outside organizations, and those of people, end here.
    if (caller.subject.startsWith('user:') || object.startsWith('account:')) return answers;
    const allowed = relations.filter((relation) => answers.get(relation) === true);
    uses.recordAllowed({ subject: caller.subject, scopes }, object, allowed);
    return answers;
  },
});
