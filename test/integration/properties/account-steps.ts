import fc from 'fast-check';
import { expect } from 'vitest';
import { tokenOf } from '../../support/people/people.ts';
import type { World } from '../../support/worlds/world.ts';
import type { AccountModel, Link, Session } from './account-model.ts';

export const passwords = [
  'lantern orbit velvet 42',
  'quartz meadow tunnel 19',
  'copper willow sketch 88',
];

/** Position in the mailbox up to which e-mails have been read. */
export interface Real {
  read: number;
}

export type Step = fc.AsyncCommand<AccountModel, Real>;
export const step = (
  name: string,
  run: (state: AccountModel, real: Real) => Promise<void>,
  check: (state: AccountModel) => boolean = () => true,
): Step => ({ check, run, toString: () => name });

// The first is the most likely, so that passwords are correct more often than not.
export const password = fc.constantFrom(
  ...passwords,
  ...passwords.slice(0, 1),
  ...passwords.slice(0, 1),
);
export const pick = fc.nat({ max: 50 });
export const elementAt = <T>(list: readonly T[], index: number): T => list[index % list.length]!;
export const linksOf = (state: AccountModel, kind: Link['kind']) =>
  state.links.filter((link) => link.kind === kind);
export const hasLink = (kind: Link['kind']) => (state: AccountModel) =>
  linksOf(state, kind).length > 0;
export const hasSession = ({ sessions }: AccountModel) => sessions.length > 0;
export const hasAccount = ({ account }: AccountModel) => account !== null;
export const addressOf = ({ account, base }: AccountModel, isBase: boolean) =>
  isBase || account === null ? base : account.address;
export const bearer = ({ access }: Session) => ({ authorization: `Bearer ${access}` });

/** Waits for the mail worker and returns the tokens of e-mails sent since the last call. */
export async function newTokens(
  world: World,
  real: Real,
): Promise<{ to: string; token: string }[]> {
  await expect
    .poll(() => world.query('SELECT FROM mail_job WHERE finished_at IS NULL'), { timeout: 20_000 })
    .toEqual([]);
  const emails = world.mailbox.emails.slice(real.read);
  real.read = world.mailbox.emails.length;
  return emails
    .filter(({ text }) => text.includes('#token='))
    .map((email) => ({ to: email.to, token: tokenOf(email) }));
}
