import { z } from 'zod';
import { Reference, References } from '../../platform/http/reference.ts';
import { ItemId } from '../../policies/policy.ts';

// Interaction ids are 21 characters; anything else is as unknown.
export const InteractionParams = z.object({
  uid: z
    .string()
    .max(100)
    .describe('Id of the consent request, from the address of the consent page.'),
});
export type InteractionParams = z.infer<typeof InteractionParams>;

/** What a person decides on. */
export const ConsentRequest = z
  .object({
    client: z.object({
      id: z.guid(),
      name: z.string(),
      owner: z.object({
        kind: z.enum(['account', 'organization', 'service']),
        name: z.string().nullable(),
        email: z.string().nullable().describe('Verified address of a person who registered it.'),
      }),
    }),
    registered_at: z.iso.datetime(),
    looks_like: z
      .string()
      .nullable()
      .describe('A known client whose name this one resembles, although its address is another.'),
    redirect_host: z
      .string()
      .describe('Host, or the scheme of an application, that receives the answer.'),
    account: z.object({ email: z.string() }),
    organization: Reference.nullable().describe('The organization it would work in.'),
    refused: z
      .enum(['not_a_member', 'organization_suspended'])
      .nullable()
      .describe('Why this account can only deny.'),
    follows_teams: z
      .boolean()
      .describe('Whether it may be active in all teams of the person, later ones too.'),
    teams: References,
    scopes: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        group: z.enum(['mcp', 'management']),
        family: z.string(),
        available: z.boolean().describe('Whether this person has the permission now.'),
        includes: z
          .array(z.string())
          .describe(
            'Requested scopes that it gives as well: without one of them, it is not granted.',
          ),
      }),
    ),
    agents: References,
  })
  .meta({ id: 'ConsentRequest' });
export type ConsentRequest = z.infer<typeof ConsentRequest>;

const MAX_SCOPES = 200;
const MAX_TEAMS = 200;

/**
 * Fields that are left out stand for everything that was requested and is available, and for no
 * agent.
 */
export const ConsentDecision = z
  .object({
    allow: z.boolean(),
    scopes: z
      .array(z.string().max(64))
      .max(MAX_SCOPES)
      .optional()
      .describe(
        'Exactly what is granted, except a scope that includes another requested one which is not in the list.',
      ),
    team_ids: z.array(ItemId).max(MAX_TEAMS).optional(),
    default_agent_id: ItemId.nullable().optional(),
  })
  .meta({ id: 'ConsentDecision' });
export type ConsentDecision = z.infer<typeof ConsentDecision>;

export const Decided = z
  .object({
    to: z.url().describe('Where the browser continues; it leads back to the client.'),
  })
  .meta({ id: 'ConsentDecided' });
