import { RequestRefused } from '../requests.ts';
import type { Requests } from '../requests.ts';
import type { Body, RouteName } from '../steps/step.ts';

/** What the reviews of the demo are about. */
export interface ReviewedIds {
  organization: string;
  /** Keys that are to be revoked, reduced and kept. */
  revoked: string;
  reduced: string;
  kept: string;
}

/** Sends requests in a session of one person. */
export type Ask = (route: RouteName, body?: Body) => Promise<Readonly<Record<string, unknown>>>;

/** Returns the requests of a session. */
export const askIn =
  ({ send }: Pick<Requests, 'send'>, token: string): Ask =>
  (route, body) =>
    send(token, route, {}, body);

interface Entry {
  id: string;
  subject: { id: string };
}

/**
 * Takes two reviews, between which a key gets more than it needs, and decides about
 * three entries of the later one, which is left open: its decisions can be applied.
 */
export async function takeReviews(
  ask: Ask,
  { organization, revoked, reduced, kept }: ReviewedIds,
): Promise<void> {
  const base = `/api/organizations/${organization}` as const;
  const take = async (name: string) =>
    (await ask(`POST ${base}/access/reviews`, { name }))['id'] as string;
  const first = await take('First quarter');
  await ask(`PATCH ${base}/access/reviews/${first}`, { status: 'closed' });
  const permissions = ['can_view_organization_members', 'can_update_organization_resources'];
  await ask(`PATCH ${base}/keys/${reduced}`, {
    mcp_capabilities: ['tools', 'agents'],
    grants: [{ scope: { type: 'org', org_id: organization }, permissions }],
  });
  const review = `${base}/access/reviews/${await take('Second quarter')}` as const;
  const { data } = await ask(`GET ${review}/entries?limit=200`);
  const decide = async (subject: string, decision: string, comment: string) => {
    const entry = (data as readonly Entry[]).find((one) => one.subject.id === subject);
    if (entry !== undefined)
      await ask(`PATCH ${review}/entries/${entry.id}`, { decision, comment });
  };
  await decide(revoked, 'revoke', 'Nobody knows what it was for.');
  await decide(reduced, 'reduce', 'Staging needs less.');
  await decide(kept, 'keep', 'Every release needs it.');
}

/** Asks for what a person may not do: the refusals are in the log of decisions. */
export async function beRefused(ask: Ask, routes: readonly RouteName[]): Promise<void> {
  for (const route of routes)
    await ask(route).catch((error: unknown) => {
      if (!(error instanceof RequestRefused) || error.status !== 403) throw error;
    });
}
