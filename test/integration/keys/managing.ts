import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import { KeyEdit } from '../../../src/keys/schema.ts';
import { actor, draftOf } from '../../support/people/keyring.ts';
import type { Keyring } from '../../support/people/keyring.ts';

/** A valid id that does not exist. */
export const unknownId = '0190aaaa-0000-7000-8000-00000000dead';

/** Returns functions that create and update an account's keys, each in a new session. */
export const createKeyOperations = (ring: () => Keyring) => ({
  /** Retries after a ConcurrentUpdate, as the gateway does. */
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

/** Returns a refusal's kind, and the codes and pointers of its problems. */
export const codes = (refusal: Promise<unknown>) =>
  refusal.then(
    () => 'accepted',
    (error: { kind: string; problems: { code: string; detail: { pointer: string } | null }[] }) => [
      error.kind,
      ...error.problems.map(({ code, detail }) => (detail ? `${code} ${detail.pointer}` : code)),
    ],
  );
