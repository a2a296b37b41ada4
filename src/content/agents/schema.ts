import { z } from 'zod';
import { capabilities } from '../../authz/permissions.ts';

/** On what a component depends; null: it always applies. */
const When = z.union([
  z.null(),
  z.strictObject({ capability: z.enum(capabilities) }),
  z.strictObject({ tool: z.guid().toLowerCase() }),
  z.strictObject({ prompt: z.guid().toLowerCase() }),
  z.strictObject({ agent: z.guid().toLowerCase() }),
  z.strictObject({ resource: z.string() }),
]);
/** What the catalogue of agents shows of a definition, and what decides which components apply. */
export const AgentHead = z.object({
  description: z.string(),
  components: z.array(z.object({ name: z.string(), when: When })),
});
export type AgentHead = z.infer<typeof AgentHead>;
