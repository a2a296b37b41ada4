import process from 'node:process';
import type { Command } from 'commander';
import type { Config } from '../../platform/config/config.ts';
import { loadOperatorConfig } from '../operator-config.ts';
import { diagnose } from './diagnose.ts';
import { exitCodeOf } from './finding.ts';
import { describeFindings } from './report.ts';

interface Flags {
  json?: boolean;
  drift: boolean;
}

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'Check the configuration, the servers, the address and the protocol, with remedies',
    )
    .option('--json', 'print the findings as JSON')
    .option('--no-drift', 'leave out the comparison of all tuples, which takes minutes if many')
    .addHelpText('after', '\nExit code: 0 if all is well, 1 for warnings, 2 for failures.')
    .action(async ({ json = false, drift }: Flags) => {
      const findings = await diagnose(readConfig(), { drift });
      const exitCode = exitCodeOf(findings);
      console.log(json ? JSON.stringify({ findings }, null, 2) : describeFindings(findings));
      process.exitCode = exitCode;
    });
}

/** Returns the configuration, or the error of an invalid one. */
function readConfig(): Config | Error {
  try {
    return loadOperatorConfig();
  } catch (error) {
    return error as Error;
  }
}
