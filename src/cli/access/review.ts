import type { Command } from 'commander';
import type { Review, ReviewEntry } from '../../explorer/reviews/schema.ts';
import { connectTo, entriesOf, withAccessOptions } from './connection.ts';
import type { AccessFlags, Organization } from './connection.ts';
import { describeSubject, print, subjectCells, subjectColumns } from './print.ts';

interface Flags extends AccessFlags {
  name?: string;
  review?: string;
}

/** Adds the command `review`, which takes an access review or prints one that exists. */
export function addReviewCommand(program: Command): void {
  withAccessOptions(
    program
      .command('review')
      .description('Take an access review of an organization, and print what everyone has')
      .option('--name <name>', 'name of the new review; the day if omitted')
      .option('--review <id>', 'print this review instead of taking one'),
  ).action(review);
}

async function review({ name, review: id, ...flags }: Flags): Promise<void> {
  const organization = await connectTo(flags);
  const { api, path } = organization;
  const taken = await (id === undefined
    ? api<Review>('POST', `${path}/access/reviews`, name === undefined ? {} : { name })
    : api<Review>('GET', `${path}/access/reviews/${encodeURIComponent(id)}`));
  if (!flags.json && !flags.csv) console.log(`${taken.name}  ${taken.id}  ${taken.status}`);
  await printEntries(organization, taken, flags);
}

const printEntries = ({ api, path }: Organization, { id }: Review, flags: AccessFlags) =>
  print(entriesOf<ReviewEntry>(api, `${path}/access/reviews/${id}/entries`), flags, {
    columns: [
      ...[...subjectColumns, 'permissions', 'team_permissions', 'capabilities'],
      ...['tools', 'prompts', 'resources', 'agents', 'flags', 'decision', 'comment'],
    ],
    cellsOf: ({ subject, permissions, team_permissions, capabilities, reach, ...entry }) => [
      ...[...subjectCells(subject), permissions.join(' ')],
      team_permissions.map((one) => `${one.team.name}: ${one.permissions.join(' ')}`).join('; '),
      capabilities.join(' '),
      ...[reach.tools, reach.prompts, reach.resources, reach.agents].map(String),
      ...[entry.flags.join(' '), entry.decision ?? '', entry.comment ?? ''],
    ],
    lineOf: ({ subject, permissions, reach, flags: found }) =>
      [
        describeSubject(subject),
        `${permissions.length} permissions`,
        `${reach.tools} tools, ${reach.prompts} prompts, ${reach.resources} resources, ${reach.agents} agents`,
        ...found,
      ].join('  '),
  });
