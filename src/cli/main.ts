import { Command } from 'commander';
import { DeploymentError } from '../authz/deployment.ts';
import { ConfigError } from '../platform/config.ts';
import { NoConnection } from '../platform/database.ts';
import { addAccountCommand } from './account.ts';
import { CommandFailure } from './command-failure.ts';
import { addDriftCommand } from './drift.ts';
import { addExplainCommand } from './explain.ts';
import { addQuickstartCommand } from './quickstart-command.ts';

const program = new Command('toolgate')
  .description('An MCP tool gateway whose every decision is an OpenFGA check')
  .showHelpAfterError();
addQuickstartCommand(program);
addDriftCommand(program);
addAccountCommand(program);
addExplainCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  const expected = [CommandFailure, ConfigError, DeploymentError, NoConnection];
  const isExpected = expected.some((kind) => error instanceof kind);
  console.error(error instanceof Error && isExpected ? `toolgate: ${error.message}` : error);
  process.exitCode = 1;
}
