import type { ScopeRef } from '../caller/scope.ts';
import type { Engine, ModelDelta } from './client.ts';
import type { OutboxPart } from './store.ts';
import type { Tuple } from './tuple.ts';

/** Adds to a part the step of its scope's fence: a Write that is late or a repeat is refused whole. */
export function fenced(
  scope: ScopeRef,
  { deletes, writes, fence_before, fence, model_id }: OutboxPart,
): ModelDelta {
  return {
    model_id,
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

/** Returns up to which part the store holds the scope; null before the first. */
export const readFence = async (engine: Engine, scope: ScopeRef): Promise<string | null> =>
  fenceOf(await engine.read(fenceObject(scope)));

/** Several, as two stores merged into one would have, are a fence no part has. */
export const fenceOf = (tuples: readonly Tuple[]): string | null =>
  tuples.length === 0 ? null : tuples.map(({ user }) => user.replace('revision:', '')).join(' ');
