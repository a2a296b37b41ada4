import { conflict, Refusal, unprocessable } from '../../platform/errors/refusal.ts';
import type { ItemKind } from './kind.ts';

/** Throws 412 if `if_match` does not match the active version. */
export function requireVersion({ version }: { version: number }, if_match: string | null): void {
  const tags = if_match?.split(',').map((tag) => tag.trim());
  if (tags?.some((tag) => tag === '*' || tag === etagOf(version)) ?? true) return;
  throw new Refusal(
    'stale',
    'version_mismatch',
    'The item has been changed since it was read. Read it again and repeat the edit.',
    { detail: { version } },
  );
}

export const etagOf = (version: number): string => `"${version}"`;

export function throwNameTaken<Content extends object>({ nameField }: ItemKind<Content>): never {
  throw conflict('name_taken', `Another item already has this ${nameField}.`, {
    detail: { pointer: `/${nameField}` },
  });
}

/** Throws 409 for the name of a built-in item, even if the space has no item. */
export const throwNameReserved = <Content extends object>({ family }: ItemKind<Content>): never => {
  throw conflict('name_taken', `A built-in ${family} has this name: choose another.`, {
    detail: { pointer: '/name' },
  });
};

export const throwLimitReached = (limit: number): never => {
  throw unprocessable(
    'limit_reached',
    `The plan allows ${limit} items of this kind. Delete one first.`,
  );
};

/** Creates the 422 for a field that cannot be changed. */
export const fieldIsFixed = (pointer: string, message: string) =>
  unprocessable('fixed_field', message, { detail: { pointer } });
