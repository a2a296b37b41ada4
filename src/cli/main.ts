import { Command } from 'commander';
import { formatFatalError } from '../platform/errors/operator-error.ts';
import { addReviewCommand } from './access/review.ts';
import { addWhoCanCommand } from './access/who-can.ts';
import { addAccountCommand } from './account.ts';
import { addDoctorCommand } from './doctor/doctor.ts';
import { addDriftCommand } from './drift.ts';
import { addExplainCommand } from './explain.ts';
import { addOAuthCommand } from './oauth.ts';
import { addOrganizationCommand } from './organization.ts';
import { addQuickstartCommand } from './quickstart-command.ts';
import { addRotateSecretsCommand } from './rotate-secrets.ts';
import { addSeedCommand } from './seed.ts';

const program = new Command('toolgate')
  .description('An MCP tool gateway that authorizes every request with OpenFGA')
  .showHelpAfterError();
addQuickstartCommand(program);
addDoctorCommand(program);
addDriftCommand(program);
addAccountCommand(program);
addOrganizationCommand(program);
addExplainCommand(program);
addWhoCanCommand(program);
addReviewCommand(program);
addOAuthCommand(program);
addRotateSecretsCommand(program);
addSeedCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  console.error(`toolgate: ${formatFatalError(error)}`);
  process.exitCode = 1;
}
