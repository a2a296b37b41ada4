import process from 'node:process';
import type { Command } from 'commander';
import type { Drift } from '../authz/drift/drift.ts';
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
    .description('Compare the tuples in OpenFGA with the rows in PostgreSQL; exit 1 if they differ')
    .option('--repair', 'write missing tuples and delete extra ones, through the outbox')
    .option('--rebuild', 'after data loss: accept the store as it is and rewrite every tuple')
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
      console.log(open === 0 ? 'No drift found.' : `${open} scopes differ from their rows.`);
      if (open > 0) process.exitCode = 1;
    });
}

function describeDrift(drift: Drift): string {
  const { scope, missing, extra, fence_agrees, repaired, unregistered } = drift;
  if (unregistered !== undefined)
    return `${scope}: ${unregistered} unknown to this version; ignored`;
  return [
    `${scope}${repaired ? ' (repaired)' : ''}`,
    ...extra.map((tuple) => `  extra    ${tupleKey(tuple)}`),
    ...missing.map((tuple) => `  missing  ${tupleKey(tuple)}`),
    ...(fence_agrees
      ? []
      : ['  the fence does not match the outbox: a change was rejected, or one side was restored']),
  ].join('\n');
}
