import type { z } from 'zod';
import type { ResourceListed, ResourceRecord } from '../../../content/resources/schema.ts';

export type ListedResource = z.infer<typeof ResourceListed>;
export type Resource = z.infer<typeof ResourceRecord>;

export interface ResourceValues extends Record<string, unknown> {
  path: string;
  title: string;
  description: string;
  mime_type: string;
  text: string;
  /** Binary content in base64; null for a text. */
  blob: string | null;
}
