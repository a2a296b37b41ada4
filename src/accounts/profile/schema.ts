import { z } from 'zod';

/** The fields to change; null removes a name. */
export const ProfileEdit = z.object({
  first_name: z.string().nullable().optional(),
  last_name: z.string().nullable().optional(),
  locale: z
    .string()
    .optional()
    .describe('Language of every letter: a supported two-letter code, or a tag with a region.'),
});
export type ProfileEdit = z.infer<typeof ProfileEdit>;
