import { z } from 'zod';

const text = z.string().nullable();

/** A prompt as its upstream describes it; `pin` changes whenever the description does. */
export const UpstreamPrompt = z
  .object({
    name: z.string(),
    title: text,
    description: text,
    arguments: z.array(z.object({ name: z.string(), description: text, required: z.boolean() })),
    pin: z.string(),
  })
  .meta({ id: 'UpstreamPrompt' });
export type UpstreamPrompt = z.infer<typeof UpstreamPrompt>;

/** A resource as its upstream describes it; its content is not part of the description. */
export const UpstreamResource = z
  .object({ uri: z.string(), title: text, description: text, mime_type: text, pin: z.string() })
  .meta({ id: 'UpstreamResource' });
export type UpstreamResource = z.infer<typeof UpstreamResource>;

export const contentFamilies = ['prompt', 'resource'] as const;
export type ContentFamily = (typeof contentFamilies)[number];

/** Descriptions by an upstream, by family. */
export interface UpstreamContent {
  prompt: UpstreamPrompt;
  resource: UpstreamResource;
}
export type AnyUpstreamContent = UpstreamContent[ContentFamily];

/** Returns the name of a prompt, or the URI of a resource, at its upstream. */
export const sourceOf = (found: AnyUpstreamContent): string =>
  'uri' in found ? found.uri : found.name;
