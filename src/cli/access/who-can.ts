import type { Command } from 'commander';
import type { Holder } from '../../explorer/schema.ts';
import { OperatorError } from '../../platform/errors/operator-error.ts';
import { connectTo, entriesOf, withAccessOptions } from './connection.ts';
import type { AccessFlags } from './connection.ts';
import { describeSubject, print, subjectCells, subjectColumns } from './print.ts';

const FAMILIES = ['tool', 'prompt', 'resource', 'agent'] as const;
type Flags = AccessFlags & Partial<Record<(typeof FAMILIES)[number], string>>;

/** Adds the command `who-can`, which asks a gateway over REST with an auditor's key. */
export function addWhoCanCommand(program: Command): void {
  withAccessOptions(
    program
      .command('who-can')
      .argument('[permission]', 'name of a permission, such as can_delete_organization_tools')
      .description('List who holds a permission, or who can use an item, and why')
      .option('--tool <id>', 'a tool instead of a permission')
      .option('--prompt <id>', 'a prompt')
      .option('--resource <id>', 'a resource')
      .option('--agent <id>', 'an agent definition'),
  ).action(whoCan);
}

async function whoCan(permission: string | undefined, flags: Flags): Promise<void> {
  const items = FAMILIES.flatMap((family) => {
    const id = flags[family];
    return id === undefined ? [] : [`access/items/${family}s/${encodeURIComponent(id)}`];
  });
  const asked =
    permission === undefined
      ? items
      : [...items, `access/permissions/${encodeURIComponent(permission)}`];
  const [question] = asked;
  if (question === undefined || asked.length > 1)
    throw new OperatorError(
      'give a permission, or one of --tool, --prompt, --resource and --agent',
    );
  const { path, api } = await connectTo(flags);
  const count = await print(entriesOf<Holder>(api, `${path}/${question}`), flags, {
    columns: [...subjectColumns, 'teams', 'because'],
    cellsOf: (holder) => [
      ...subjectCells(holder.subject),
      teamsOf(holder),
      holder.because
        .map(({ subject, relation, object }) => `${subject} ${relation} ${object}`)
        .join('; '),
    ],
    lineOf: (holder) => {
      const teams = teamsOf(holder);
      return [
        `${describeSubject(holder.subject)}${teams === '' ? '' : ` (in ${teams})`}`,
        ...holder.because.map(
          ({ subject, relation, object, granted_by, granted_at }) =>
            `    ${subject} ${relation} ${object}${granted_at === null ? '' : `  since ${granted_at}, by ${granted_by?.email ?? granted_by?.kind}`}`,
        ),
      ].join('\n');
    },
  });
  if (count === 0 && !flags.json && !flags.csv) console.log('Nobody.');
}

const teamsOf = ({ teams }: Partial<Pick<Holder, 'teams'>>): string =>
  (teams ?? []).map(({ name }) => name).join(', ');
