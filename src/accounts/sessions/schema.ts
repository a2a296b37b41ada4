import { z } from 'zod';

/** A session as its owner sees it. */
export const SessionRecord = z
  .object({
    id: z.guid(),
    created_at: z.string(),
    /** When its tokens were last renewed, which happens every 15 minutes while it is in use. */
    last_used_at: z.string(),
    expires_at: z.string(),
    ip: z.string().nullable(),
    user_agent: z.string().nullable(),
    amr: z.array(z.string()).describe('Authentication methods used at sign-in (RFC 8176).'),
    current: z.boolean().describe('Whether this is the session that made the request.'),
  })
  .meta({ id: 'Session' });
export type SessionRecord = z.infer<typeof SessionRecord>;
