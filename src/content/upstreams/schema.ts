import { z } from 'zod';

const JsonObject = z.record(z.string(), z.unknown());

/** A tool as its upstream describes it; `pin` is another one whenever the description is. */
export const UpstreamTool = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  input_schema: JsonObject,
  output_schema: JsonObject.nullable(),
  annotations: JsonObject,
  pin: z.string(),
});
export type UpstreamTool = z.infer<typeof UpstreamTool>;
