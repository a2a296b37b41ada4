import { setTimeout } from 'node:timers/promises';
import type { Capability } from '../../authz/permissions.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import type { SubjectRow } from '../subjects/store.ts';
import { nameOf } from './revisions.ts';
import type { Moved } from './revisions.ts';

/** An item outside of members' own spaces; the space is null for a built-in one. */
export type ReviewedItem = readonly [
  family: keyof Counts,
  id: string,
  name: string,
  space_id: string | null,
];

export interface Counts {
  tools: number;
  prompts: number;
  resources: number;
  agents: number;
}

/** What a credential, or a member, can use. */
export interface Reached {
  capabilities: readonly Capability[];
  items: readonly ReviewedItem[];
  /** Items of the person's own space. */
  own: Counts;
}

interface Decided {
  /** The subject that was decided about, by `nameOf`. */
  by: string;
  /** Whether it also depends on items. */
  onContent: boolean;
  value: Promise<unknown>;
}

/**
 * Creates decisions about classes of subjects: each is made once, about the first subject of its class
 * that asks, and made again if that subject or its organization has changed since.
 */
export function createClasses() {
  const decided = new Map<string, Decided>();

  /** Returns the decision about a class. */
  function once<Value>(
    name: string,
    { row, onContent }: { row: SubjectRow; onContent: boolean },
    decide: () => Promise<Value>,
  ): Promise<Value> {
    const known = decided.get(name);
    if (known !== undefined) return known.value as Promise<Value>;
    const value = patiently(decide);
    const one = { by: nameOf(row), onContent, value };
    decided.set(name, one);
    value.catch(() => decided.get(name) === one && decided.delete(name));
    return value;
  }

  return {
    once,
    /** Forgets the decisions that depend on what has moved. */
    forget({ authority, content, subjects }: Moved): void {
      for (const [name, { by, onContent }] of decided)
        if (authority || (content && onContent) || subjects.has(by)) decided.delete(name);
    },
  };
}
export type Classes = ReturnType<typeof createClasses>;

// A review takes long, and must not fail because the store was busy for a moment.
const WAITS_MS = [100, 300, 1_000, 2_000, 3_000];

/** Decides again when the store did not answer in time. */
async function patiently<Value>(decide: () => Promise<Value>): Promise<Value> {
  for (const ms of WAITS_MS)
    try {
      return await decide();
    } catch (error) {
      if (!isRefusal(error) || error.kind !== 'unavailable') throw error;
      await setTimeout(ms);
    }
  return decide();
}
