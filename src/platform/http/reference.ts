import { z } from 'zod';

/** An object that another one names: an item, a team, a role or an organization. */
export const Reference = z.object({ id: z.guid(), name: z.string() }).meta({ id: 'Reference' });
export type Reference = z.infer<typeof Reference>;

/** Several of them. */
export const References = z.array(Reference).meta({ id: 'References' });
