import { z } from 'zod';

/** What lists show of a resource. */
export const ResourceHead = z.object({
  title: z.string().nullable(),
  description: z.string().nullable(),
  mime_type: z.string(),
  /** Bytes. */
  size: z.int(),
});
export type ResourceHead = z.infer<typeof ResourceHead>;
