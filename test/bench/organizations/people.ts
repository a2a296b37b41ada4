import { setTimeout } from 'node:timers/promises';
import { accept, invited } from '../../support/people/invitations.ts';
import type { Mailbox } from '../../support/people/mailbox.ts';
import { askAs, createOrganization } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import type { Answer, SendRequest, SignedUp } from '../../support/people/people.ts';
import type { Deployment } from '../../support/servers/deployment-on.ts';
import type { Request as McpRequest } from '../load.ts';
import type { PeerProcess } from '../process.ts';

/** The gateway to measure, and its servers. */
export interface Measured {
  gateway: PeerProcess;
  /** The gateway's environment. */
  env: Readonly<Record<string, string>>;
  port: number;
  url: string;
  mailbox: Mailbox;
  deployment: Deployment;
  openfgaDatabaseUrl: string;
}

/** Returns the id of the bench's built-in tool with this number; number 0 is `noop`. */
export const noopId = (index: number) =>
  `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** Sends a request that must succeed, and returns its response. */
export async function request<Body>(who: SignedUp, sent: SendRequest): Promise<Body> {
  const { status, body }: Answer<Body> = await askAs<Body>(who, sent);
  if (status >= 400) throw new Error(`${sent.path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/**
 * Creates an organization that selects these built-in tools; those in `wide` are organization-wide.
 */
export async function createOrganizationWith(
  owner: SignedUp,
  tools: readonly string[],
  wide = tools,
): Promise<{ id: string; path: string }> {
  const { id } = await createOrganization(owner);
  const path = `/api/organizations/${id}`;
  await request(owner, {
    method: 'PUT',
    path: `${path}/mcp-settings`,
    body: {
      ...{ tools, organization_wide_tools: wide },
      ...{ platform_prompts: [], organization_wide_prompts: [] },
    },
  });
  return { id, path };
}

/** Signs up a person who joins an organization through an invitation. */
export async function addMember(
  { mailbox, url }: Pick<Measured, 'mailbox' | 'url'>,
  owner: SignedUp,
  { id, role_id }: { id: string; role_id: string },
): Promise<SignedUp> {
  const person = await signUp({ mailbox }, { url }, 'member');
  const invitation = { id, email: person.email, role_ids: [role_id] };
  const { token } = await invited({ mailbox }, owner, invitation);
  const { status, body } = await accept(person, token);
  if (status >= 400) throw new Error(`accept: ${status} ${JSON.stringify(body)}`);
  return person;
}

const MAX_TRIES = 20;

/**
 * Repeats an MCP request until its response contains `expecting`: on a busy machine, a cold
 * decision may time out.
 */
export async function requestUntil(
  { url }: Pick<Measured, 'url'>,
  { path, headers, body }: McpRequest,
  expecting: string,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
    });
    const text = await response.text();
    if (text.includes(expecting)) return;
    if (tries === MAX_TRIES) throw new Error(`a request: ${response.status} ${text}`);
    await setTimeout(500);
  }
}
