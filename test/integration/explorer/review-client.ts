import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { SubjectAccess } from '../../../src/explorer/schema.ts';
import type { Review, ReviewEntry } from '../../../src/explorer/reviews/schema.ts';
import { askAs } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { read } from './acme.ts';

/** Takes a review, and returns it. */
export async function review(who: SignedUp, base: string, name = 'Spring'): Promise<Review> {
  const taken = await askAs<Review>(who, { path: `${base}/access/reviews`, body: { name } });
  expect([taken.status, taken.body]).toEqual([201, expect.anything()]);
  return taken.body;
}

/** Returns all entries of a review. */
export async function entriesOf(
  who: SignedUp,
  base: string,
  review_id: string,
): Promise<ReviewEntry[]> {
  const entries: ReviewEntry[] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `${base}/access/reviews/${review_id}/entries?limit=3${after}`;
    const page: { data: ReviewEntry[]; next_cursor: string | null } = await read(who, path);
    entries.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return entries;
}

const paths: Readonly<Record<string, string>> = {
  member: 'members',
  ...{ key: 'keys', organization_key: 'keys' },
  ...{ connection: 'connections', client: 'connections' },
};

interface HolderPage {
  data: { subject: { id: string }; teams: { id: string }[] | null }[];
}

/**
 * Compares entries with the live answers about their subjects, as `who` sees them, and with who holds
 * some permissions; returns what differs.
 */
export async function differences(
  who: SignedUp,
  base: string,
  entries: readonly ReviewEntry[],
  permissions: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const { subject, reach, ...entry } of entries) {
    const live = await read<SubjectAccess>(
      who,
      `${base}/${paths[subject.kind]}/${subject.id}/access`,
    );
    const system = live.visible.tools.filter((one) => one.system === true).length;
    const expected = {
      subject: live.subject,
      permissions: live.permissions,
      team_permissions: live.team_permissions,
      capabilities: live.capabilities,
      reach: { ...live.counts.visible, tools: live.counts.visible.tools - system },
    };
    const seen = { ...entry, subject, reach };
    for (const [field, value] of Object.entries(expected))
      if (!isDeepStrictEqual(asSet(seen[field as keyof typeof expected]), asSet(value)))
        found.push(`${subject.kind} ${subject.id} ${field}`);
  }
  for (const name of permissions) {
    const path = `${base}/access/permissions/${name}?limit=200`;
    const { data } = await read<HolderPage>(who, path);
    const holders = data.map(({ subject }) => subject.id).toSorted();
    const listed = entries
      .filter(
        (one) =>
          one.permissions.includes(name) ||
          one.team_permissions.some((inTeam) => inTeam.permissions.includes(name)),
      )
      .map(({ subject }) => subject.id)
      .toSorted();
    if (JSON.stringify(holders) !== JSON.stringify(listed)) found.push(name);
  }
  return found;
}

/** Permissions and teams are sets. */
const asSet = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((one) => JSON.stringify(one)).toSorted() : value;
