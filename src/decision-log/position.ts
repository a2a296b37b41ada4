import { z } from 'zod';
import type { DecisionPosition } from './store.ts';

const PositionJson = z.tuple([z.iso.datetime(), z.uuid()]);

/** Returns the position of a decision in its list; null for a text that is none. */
export function parsePosition(text: string): DecisionPosition | null {
  try {
    const [at, id] = PositionJson.parse(JSON.parse(text));
    return { at, id };
  } catch {
    return null;
  }
}
