import { z } from 'zod';

/**
 * Returns the schema of a list that checks the number of entries before the entries, so that a large
 * body cannot cause one error per entry. Its JSON Schema states both.
 */
export function boundedList<Entry extends z.ZodType>(
  entry: Entry,
  max: number,
  min = 0,
): z.ZodType<z.output<Entry>[], z.input<Entry>[]> {
  const list = z.array(entry).max(max);
  const bounded = z.preprocess(
    (sent, context) => {
      if (!Array.isArray(sent) || sent.length <= max) return sent;
      context.issues.push({ code: 'too_big', origin: 'array', maximum: max, input: sent });
      return z.NEVER;
    },
    min > 0 ? list.min(min) : list,
  );
  return bounded as z.ZodType<z.output<Entry>[], z.input<Entry>[]>;
}
