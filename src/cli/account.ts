import type { Command } from 'commander';
import type { AccountStatus } from '../accounts/activation/activation.ts';
import { createService } from '../service.ts';
import { OperatorError } from '../platform/errors/operator-error.ts';
import { loadOperatorConfig } from './operator-config.ts';

export function addAccountCommand(program: Command): void {
  const account = program.command('account').description('Deactivate or reactivate an account');
  account
    .command('deactivate <email|id>')
    .description('End its sessions and reject its keys and sign-ins, from the next request on')
    .action((who: string) => setStatus(who, 'deactivated'));
  account
    .command('activate <email|id>')
    .description('Allow sign-in again; its keys work again, its old sessions stay ended')
    .action((who: string) => setStatus(who, 'active'));
}

async function setStatus(who: string, status: AccountStatus): Promise<void> {
  const service = await createService({ ...loadOperatorConfig(), LOG_LEVEL: 'error' });
  try {
    const activation = await service.activate(who, status);
    if (activation === null)
      throw new OperatorError(`no account has the id or e-mail address "${who}"`);
    const { id, changed } = activation;
    console.log(`${id} is ${changed ? 'now' : 'already'} ${status}.`);
  } finally {
    await service.close();
  }
}
