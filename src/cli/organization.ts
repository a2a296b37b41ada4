import { Argument } from 'commander';
import type { Command } from 'commander';
import type { Operation, OrganizationOperations } from '../organizations/operations/operations.ts';
import { planNames } from '../platform/config/plans.ts';
import type { PlanName } from '../platform/config/plans.ts';
import { OperatorError } from '../platform/errors/operator-error.ts';
import { createService } from '../service.ts';
import { loadOperatorConfig } from './operator-config.ts';

export function addOrganizationCommand(program: Command): void {
  const organization = program
    .command('organization')
    .description('List organizations, set their plan, suspend or reactivate them');
  organization
    .command('list')
    .description('Print the id, status, plan, number of members, Owner and name of each')
    .action(() => operate(list));
  organization
    .command('plan <id>')
    .addArgument(planArgument())
    .description('Set the plan; its limits apply from the next request on')
    .action((id: string, plan: PlanName) =>
      operate(async ({ setPlan }) => report(id, await setPlan(id, plan), `on plan ${plan}`)),
    );
  organization
    .command('suspend <id>')
    .description('Deny its members and credentials access from the next request on; delete nothing')
    .action((id: string) =>
      operate(async ({ setStatus }) => report(id, await setStatus(id, 'suspended'), 'suspended')),
    );
  organization
    .command('activate <id>')
    .description('Reactivate a suspended organization')
    .action((id: string) =>
      operate(async ({ setStatus }) => report(id, await setStatus(id, 'active'), 'active')),
    );
}

export const planArgument = () =>
  new Argument('<plan>', `one of ${planNames.join(', ')}`).choices(planNames);

async function operate(work: (operations: OrganizationOperations) => Promise<void>) {
  const service = await createService({ ...loadOperatorConfig(), LOG_LEVEL: 'error' });
  try {
    await work(service.organizations);
  } finally {
    await service.close();
  }
}

async function list(operations: OrganizationOperations): Promise<void> {
  for await (const { id, status, plan, members, owner, name } of operations.list())
    console.log([id, status, plan, members, owner ?? '-', name].join('\t'));
}

function report(id: string, operation: Operation | null, state: string): void {
  if (operation === null) throw new OperatorError(`no organization has the id "${id}"`);
  console.log(`${id} is ${operation.changed ? 'now' : 'already'} ${state}.`);
}
