import type { ScopeRef } from '../../caller/scope.ts';
import type { Engine } from '../engine/client.ts';
import type { OutboxPart } from './store.ts';
import type { Delta, Tuple } from '../tuple.ts';

/** Adds the scope's next fence to a part, so that a late or repeated Write is refused entirely. */
export function withFence(
  scope: ScopeRef,
  {
    deletes,
    writes,
    fence_before,
    fence,
  }: Pick<OutboxPart, 'deletes' | 'writes' | 'fence_before' | 'fence'>,
): Delta {
  return {
    deletes: fence_before === null ? deletes : [...deletes, fenceTuple(scope, fence_before)],
    writes: [...writes, fenceTuple(scope, fence)],
  };
}

export const fenceObject = (scope: ScopeRef): string => `scope:${scope.kind}.${scope.id}`;

export const fenceTuple = (scope: ScopeRef, fence: string): Tuple => ({
  user: `revision:${fence}`,
  relation: 'at',
  object: fenceObject(scope),
});

/** Reads the scope's fence, which identifies the last part in the store; null before the first. */
export const readFence = async (
  engine: Pick<Engine, 'read'>,
  scope: ScopeRef,
): Promise<string | null> => fenceOf(await engine.read(fenceObject(scope)));

/**
 * Returns the fence in these tuples; several, as in merged stores, give a value that matches no
 * part.
 */
export const fenceOf = (tuples: readonly Tuple[]): string | null =>
  tuples.length === 0 ? null : tuples.map(({ user }) => user.replace('revision:', '')).join(' ');
