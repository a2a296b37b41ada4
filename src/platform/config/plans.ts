import { z } from 'zod';

const count = z.number().int().min(0);
export const Plan = z.object({
  tool_calls: z.object({ minute: count, hour: count, day: count, month: count }),
  content_reads: z.object({ minute: count }),
  /** Maximum number of user-defined items per family. */
  items: count,
  /** Number of organizations that an account may own. */
  organizations: count,
  /** Maximum number of members of an organization on this plan. */
  members: count,
});
export type Plan = z.infer<typeof Plan>;

export const planNames = ['free', 'pro', 'enterprise'] as const;
export type PlanName = (typeof planNames)[number];

/** Limits of plans (decisions 4) and public forms (decisions 9); PLANS_FILE can override each. */
export const Plans = z.strictObject({
  free: Plan,
  pro: Plan,
  enterprise: Plan,
  addresses: z.object({
    challenge: z.object({ minute: count }),
    register: z.object({ hour: count }),
    login: z.object({ quarter_hour: count, hour: count }),
    /** Sign-ins that redirect to a third party. */
    third_party: z.object({ minute: count }),
    /** Authorization requests of OAuth clients. */
    authorization: z.object({ minute: count }),
    /** Per account, regardless of the client address. */
    second_factor: z.object({ day: count }),
    /** Per account: requests for the tool lists of upstream MCP servers. */
    discovery: z.object({ minute: count }),
    /** Per account: requests to explain why a key may use an item. */
    explain: z.object({ minute: count }),
    /** Per account: previews of changes. */
    preview: z.object({ minute: count }),
    /** Per SCIM token: requests of a directory. */
    scim: z.object({ minute: count }),
    /** Per organization, and per person over all organizations: invitation e-mails. */
    invitation: z.object({ hour: count }),
  }),
});
export type Plans = z.infer<typeof Plans>;

const MEMBERS = 10_000;

const plan = (
  [minute, hour, day, month]: [number, number, number, number],
  reads: number,
  items: number,
  organizations: number,
): Plan => ({
  tool_calls: { minute, hour, day, month },
  content_reads: { minute: reads },
  items,
  organizations,
  members: MEMBERS,
});

export const defaultPlans: Plans = {
  free: plan([60, 1_000, 5_000, 10_000], 300, 50, 1),
  pro: plan([300, 10_000, 100_000, 250_000], 1_500, 500, 5),
  enterprise: plan([1_200, 50_000, 500_000, 5_000_000], 6_000, 5_000, 50),
  addresses: {
    challenge: { minute: 60 },
    register: { hour: 20 },
    login: { quarter_hour: 10, hour: 200 },
    third_party: { minute: 30 },
    authorization: { minute: 600 },
    second_factor: { day: 30 },
    discovery: { minute: 60 },
    explain: { minute: 60 },
    preview: { minute: 120 },
    scim: { minute: 1_500 },
    invitation: { hour: 200 },
  },
};
