import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import { KeyEdit } from '../../../src/keys/schema.ts';
import { actor, draftOf } from '../../support/people/keyring.ts';
import type { Keyring } from '../../support/people/keyring.ts';

/** An id that nothing has. */
export const nobody = '0190aaaa-0000-7000-8000-00000000dead';

/** What an account does with its keys, signed in anew each time. */
export const managing = (ring: () => Keyring) => ({
  /** Decides again when authority moved, as the gateway does. */
  async create(account: string, fields: object) {
    for (;;) {
      try {
        return await ring().keys.create(await ring().session(account), draftOf(fields), actor);
      } catch (error) {
        if (!(error instanceof ConcurrentUpdate)) throw error;
      }
    }
  },
  update: async (account: string, id: string, fields: object) =>
    ring().keys.update(await ring().session(account), id, KeyEdit.parse(fields), actor),
});

/** Kind, codes and places of a refusal. */
export const codes = (refusal: Promise<unknown>) =>
  refusal.then(
    () => 'accepted',
    (error: { kind: string; problems: { code: string; detail: { pointer: string } | null }[] }) => [
      error.kind,
      ...error.problems.map(({ code, detail }) => (detail ? `${code} ${detail.pointer}` : code)),
    ],
  );
