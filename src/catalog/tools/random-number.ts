import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

const LIMIT = 2 ** 47 - 1;

export const randomNumber = defineTool({
  id: '63ec09f4-a06c-4001-8a95-303c79f7df08',
  name: 'random_number',
  title: 'Random whole numbers',
  description:
    'Draws uniformly distributed whole numbers from min to max, inclusive, from a cryptographic source. ' +
    'Use it for dice, samples and fair choices: numbers you make up are not random. With ' +
    '`unique`, no number is repeated. Example: {"min": 1, "max": 6, "count": 2}.',
  input: z.strictObject({
    min: z.int().min(-LIMIT).max(LIMIT),
    max: z.int().min(-LIMIT).max(LIMIT),
    count: z.int().min(1).max(1000).optional().describe('How many numbers. Default 1.'),
    unique: z.boolean().optional().describe('Draw without repetition. Default false.'),
  }),
  output: z.object({ numbers: z.array(z.int()) }),
  annotations: { ...PURE, idempotentHint: false },
  timeout_ms: 1000,
  examples: [
    { title: 'Two dice', arguments: { min: 1, max: 6, count: 2 } },
    {
      title: 'A range of one number',
      arguments: { min: 7, max: 7, count: 2 },
      result: { numbers: [7, 7] },
    },
    {
      title: 'More unique numbers than the range has',
      arguments: { min: 1, max: 3, count: 4, unique: true },
      error: 'invalid_range',
    },
  ],
  run({ min, max, count = 1, unique = false }) {
    if (min > max) throw new ToolFailure('invalid_range', '`min` must not be larger than `max`.');
    const size = max - min + 1;
    if (unique && count > size)
      throw new ToolFailure('invalid_range', `That range has only ${size} numbers.`);
    const draw = () => min + randomBelow(size);
    if (!unique) return { numbers: Array.from({ length: count }, draw) };
    return { numbers: sample(min, max, count) };
  },
});

/** Returns an integer from 0 to `size` - 1; `randomInt` needs `size` below 2^48. */
function randomBelow(size: number): number {
  return size === 1 ? 0 : randomInt(size);
}

/** Draws with Floyd's algorithm, in which all sets are equally likely, then shuffles. */
function sample(min: number, max: number, count: number): number[] {
  const chosen = new Set<number>();
  for (let last = max - count + 1; last <= max; last += 1) {
    const drawn = min + randomBelow(last - min + 1);
    chosen.add(chosen.has(drawn) ? last : drawn);
  }
  const numbers = [...chosen];
  for (let index = numbers.length - 1; index > 0; index -= 1) {
    const other = randomInt(index + 1);
    [numbers[index], numbers[other]] = [numbers[other] as number, numbers[index] as number];
  }
  return numbers;
}
