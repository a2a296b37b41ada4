import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { inTurns } from '../../platform/concurrency/turns.ts';
import type { Steps } from '../../platform/concurrency/turns.ts';
import { indexTools } from './tool-index.ts';
import type { SearchedTool, ToolIndex } from './tool-index.ts';

// In characters of indexed text; an index takes about five bytes for each.
const MAX_SIZE = 20_000_000;

/**
 * Creates a cache of indexes, each of exactly one list of tools. Credentials that see the same tools
 * share an index; a tool that only others see can affect neither matches nor order.
 */
export function createToolIndexes(
  digestOf: (tools: readonly SearchedTool[]) => Steps<string>,
  maxSize = MAX_SIZE,
) {
  const cache = new LRUCache<string, ToolIndex>({ maxSize });
  const building = new Map<string, Promise<ToolIndex>>();

  async function build(fairnessKey: string, key: string, tools: readonly SearchedTool[]) {
    try {
      const index = await inTurns(fairnessKey, indexTools(tools));
      // One above the limit is cached too, alone: building it for each call would cost more.
      cache.set(key, index, { size: Math.min(index.size, maxSize) });
      return index;
    } finally {
      building.delete(key);
    }
  }

  /** Returns the index of a list, which is built in pieces, between which other requests run. */
  return async function indexOf(
    fairnessKey: string,
    tools: readonly SearchedTool[],
  ): Promise<ToolIndex> {
    const key = await inTurns(fairnessKey, digestOf(tools));
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    let pending = building.get(key);
    if (pending === undefined) building.set(key, (pending = build(fairnessKey, key, tools)));
    return pending;
  };
}

/** Creates the digest of the searched fields of a list; it depends on nothing else. */
export function createSearchedDigest() {
  // An item is the same object until its space changes, and a list until its view does.
  const digests = new WeakMap<SearchedTool, string>();
  const lists = new WeakMap<readonly SearchedTool[], string>();

  function digestOfTool(tool: SearchedTool): string {
    let digest = digests.get(tool);
    if (digest === undefined) {
      const { name, title, description, input_schema } = tool;
      digest = hash(JSON.stringify([name, title, description, input_schema]));
      digests.set(tool, digest);
    }
    return digest;
  }

  return function* digestOf(tools: readonly SearchedTool[]): Steps<string> {
    let digest = lists.get(tools);
    if (digest !== undefined) return digest;
    const all: string[] = [];
    for (const tool of tools) {
      all.push(digestOfTool(tool));
      yield;
    }
    lists.set(tools, (digest = hash(all.join())));
    return digest;
  };
}

const hash = (text: string) => createHash('sha256').update(text).digest('base64url');
