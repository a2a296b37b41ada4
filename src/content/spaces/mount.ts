import type { PersonalPrincipal } from '../../caller/principal.ts';
import { personalSpaceOf } from './space.ts';
import type { Space } from './space.ts';

/** Where the routes of one kind of space are mounted, and whose space a request means. */
export interface Mount {
  /** The path they start with. */
  path: string;
  /** Access that needs a permission, by its name in a personal space: `prompts_create`. */
  access(permission: string): { on: 'account'; permission: string };
  /** Returns the space a request means, by its caller and the parameters of the path. */
  spaceOf(request: { caller: PersonalPrincipal; params: unknown }): Space;
}

export const personalMount: Mount = {
  path: '/api/me',
  access: (permission) => ({ on: 'account', permission }),
  spaceOf: ({ caller }) => personalSpaceOf(caller),
};
