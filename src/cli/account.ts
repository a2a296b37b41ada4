import type { Command } from 'commander';
import type { AccountStatus, Activation } from '../accounts/activation/activation.ts';
import { createService } from '../service.ts';
import type { Service } from '../service.ts';
import type { PlanName } from '../platform/config/plans.ts';
import { OperatorError } from '../platform/errors/operator-error.ts';
import { planArgument } from './organization.ts';
import { loadOperatorConfig } from './operator-config.ts';

export function addAccountCommand(program: Command): void {
  const account = program
    .command('account')
    .description('Deactivate or reactivate an account; set its plan');
  account
    .command('deactivate <email|id>')
    .description('End its sessions and reject its keys and sign-ins, from the next request on')
    .action((idOrEmail: string) => setStatus(idOrEmail, 'deactivated'));
  account
    .command('activate <email|id>')
    .description('Reactivate it: sign-in and its keys work again; its old sessions stay ended')
    .action((idOrEmail: string) => setStatus(idOrEmail, 'active'));
  account
    .command('plan <email|id>')
    .addArgument(planArgument())
    .description('Set its plan; its limits apply from the next request on')
    .action((idOrEmail: string, plan: PlanName) =>
      operate(idOrEmail, `on plan ${plan}`, (service) => service.setAccountPlan(idOrEmail, plan)),
    );
}

const setStatus = (idOrEmail: string, status: AccountStatus) =>
  operate(idOrEmail, status, (service) => service.activate(idOrEmail, status));

async function operate(
  idOrEmail: string,
  state: string,
  work: (service: Service) => Promise<Activation | null>,
): Promise<void> {
  const service = await createService({ ...loadOperatorConfig(), LOG_LEVEL: 'error' });
  try {
    const activation = await work(service);
    if (activation === null)
      throw new OperatorError(`no account has the id or e-mail address "${idOrEmail}"`);
    const { id, changed } = activation;
    console.log(`${id} is ${changed ? 'now' : 'already'} ${state}.`);
  } finally {
    await service.close();
  }
}
