import { z } from 'zod';

/** A value for each family of items. */
export const byFamily = <Value extends z.ZodType>(value: Value) =>
  z.object({ tools: value, prompts: value, resources: value, agents: value });

/** The number of items of each family. */
export const ItemCounts = byFamily(z.int()).meta({ id: 'ItemCounts' });
