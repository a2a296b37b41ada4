import { projectAccount } from './accounts/tuples.ts';
import { createProjections } from './authz/projections.ts';
import { projectKeys } from './keys/tuples.ts';
import { isUuid } from './platform/ids.ts';

/** Every type of OpenFGA objects that rows of this service stand behind. */
export const projections = createProjections([
  {
    type: 'account',
    version: 1,
    kinds: ['account'],
    // Its scope stays when the account goes, so the tuples of one that went are compared with none.
    scopesOf: async (_connection, ids) =>
      new Map(
        ids
          .filter((id) => isUuid(id) && id === id.toLowerCase())
          .map((id) => [id, { kind: 'account', id }]),
      ),
    list: async (_connection, { id }) => [id],
    slices: { user: projectAccount, api_key: projectKeys },
  },
]);
