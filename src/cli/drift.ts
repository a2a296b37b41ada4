import process from 'node:process';
import type { Command } from 'commander';
import type { Drift } from '../authz/drift.ts';
import { tupleKey } from '../authz/tuple.ts';
import { migrate } from '../migrate.ts';
import { createService } from '../service.ts';
import { loadOperatorConfig } from './operator-config.ts';

interface Flags {
  repair?: boolean;
  rebuild?: boolean;
}

export function addDriftCommand(program: Command): void {
  program
    .command('drift')
    .description(
      'Compare the tuples in OpenFGA with the rows they stand for; exit 1 if they differ',
    )
    .option('--repair', 'write what is missing and delete what is extra, through the outbox')
    .option('--rebuild', 'after a loss: take the store as it is, and write every tuple anew')
    .action(async ({ repair = false, rebuild = false }: Flags) => {
      const config = { ...loadOperatorConfig(), LOG_LEVEL: 'error' as const };
      if (rebuild) await migrate(config, { rebuild });
      const service = await createService(config);
      let open = 0;
      try {
        for await (const drift of service.drift({ repair: repair || rebuild })) {
          console.log(describeDrift(drift));
          // Scopes of another version are reported, but repair must not touch them.
          if (!drift.repaired && drift.unregistered === undefined) open += 1;
        }
      } finally {
        await service.close();
      }
      console.log(open === 0 ? 'No drift is left.' : `${open} scopes differ from their rows.`);
      if (open > 0) process.exitCode = 1;
    });
}

function describeDrift(drift: Drift): string {
  const { scope, missing, extra, fence_agrees, repaired, unregistered } = drift;
  if (unregistered !== undefined)
    return `${scope}: ${unregistered} that this version does not know; left alone`;
  return [
    `${scope}${repaired ? ' (repaired)' : ''}`,
    ...extra.map((tuple) => `  extra    ${tupleKey(tuple)}`),
    ...missing.map((tuple) => `  missing  ${tupleKey(tuple)}`),
    ...(fence_agrees
      ? []
      : ['  the fence and the outbox disagree: a change was refused, or one side restored']),
  ].join('\n');
}
