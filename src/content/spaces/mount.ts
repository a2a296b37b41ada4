import type { PersonalPrincipal } from '../../caller/principal.ts';
import { personalSpaceOf } from './space.ts';
import type { Space } from './space.ts';

/** Mounts routes for one kind of space and resolves the space of a request. */
export interface Mount {
  /** Path prefix of the routes. */
  path: string;
  /** Access that requires a permission, by its name in a personal space: `prompts_create`. */
  access(permission: string): { on: 'account'; permission: string };
  /** Returns the space of a request, from its caller and path parameters. */
  spaceOf(request: { caller: PersonalPrincipal; params: unknown }): Space;
}

export const personalMount: Mount = {
  path: '/api/me',
  access: (permission) => ({ on: 'account', permission }),
  spaceOf: ({ caller }) => personalSpaceOf(caller),
};
