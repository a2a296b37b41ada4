import { z } from 'zod';
import { Account } from '../schema.ts';

/** Each module adds its part under a name of its own. */
export const AccountExport = z.looseObject({
  exported_at: z.string(),
  most_of_a_list: z.int().describe('No list holds more; of longer ones the newest are here.'),
  account: Account,
});
