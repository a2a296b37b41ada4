import type { Command } from 'commander';
import type { Explanation, ExplanationStep } from '../keys/schema.ts';
import { createService } from '../service.ts';
import { OperatorError } from '../platform/errors/operator-error.ts';
import { withAccessOptions } from './access/connection.ts';
import type { AccessFlags } from './access/connection.ts';
import { explainPermission } from './access/explain-permission.ts';
import type { PermissionFlags } from './access/explain-permission.ts';
import { loadOperatorConfig } from './operator-config.ts';

const FAMILIES = ['tool', 'prompt', 'resource', 'agent'] as const;
type Flags = Partial<Record<(typeof FAMILIES)[number], string>> & Partial<PermissionFlags>;

/**
 * Adds the command `explain`. For items it is an operator's: like `account`, it works on the servers
 * directly, needs no password and works while sign-in is unavailable. Permissions are asked over REST
 * with an auditor's key.
 */
export function addExplainCommand(program: Command): void {
  withAccessOptions(program.command('explain'))
    .argument('<subject>', 'a key’s name or id; with --permission, a member’s address or kind:id')
    .description('Explain why a key may use an item, or who has a permission; exit 1 if not')
    .option('--permission <name>', 'a permission in an organization; asks over REST')
    .option('--team <id>', 'the team, for a permission in teams')
    .option('--tool <name or id>', 'a built-in, custom or system tool')
    .option('--prompt <name or id>', 'one of your prompts or a built-in prompt')
    .option('--resource <path, URI or id>', 'a resource')
    .option('--agent <name or id>', 'an agent definition')
    .action(explain);
}

async function explain(key: string, flags: Flags & AccessFlags): Promise<void> {
  const { permission } = flags;
  if (permission !== undefined) return explainPermission(key, { ...flags, permission });
  const targets = FAMILIES.flatMap((family) => {
    const item = flags[family];
    return item === undefined ? [] : [{ family, item }];
  });
  const [target] = targets;
  if (target === undefined || targets.length > 1)
    throw new OperatorError(
      'give exactly one of --permission, --tool, --prompt, --resource or --agent',
    );
  // The message must not repeat the secret.
  if (key.startsWith('sk_'))
    throw new OperatorError('give the name or the id of the key, not its secret');
  const service = await createService({ ...loadOperatorConfig(), LOG_LEVEL: 'error' });
  try {
    const [id, ...others] = await service.findKeys(key);
    if (id === undefined) throw new OperatorError(`no key has the name or id "${key}"`);
    if (others.length > 0)
      throw new OperatorError(
        `several keys are named "${key}": use one of the ids ${[id, ...others].join(', ')}`,
      );
    const explanation = await service.explainKey(id, target);
    console.log(describe(explanation));
    if (explanation.outcome === 'deny') process.exitCode = 1;
  } finally {
    await service.close();
  }
}

function describe({ outcome, steps }: Explanation): string {
  const width = Math.max(...steps.map(({ layer }) => layer.length));
  return [outcome, ...steps.flatMap((step) => linesOf(step, width))].join('\n');
}

function linesOf({ layer, rule, outcome, evidence }: ExplanationStep, width: number): string[] {
  const facts = Object.entries(evidence).flatMap(([name, value]) => factsOf(name, value));
  return [
    `  ${outcome.padEnd(5)}  ${layer.padEnd(width)}  ${rule}`,
    ...facts.map((fact) => `${' '.repeat(width + 11)}${fact}`),
  ];
}

/** Returns one line per tuple of a path, or one line for any other fact. */
function factsOf(name: string, value: unknown): string[] {
  if (!Array.isArray(value)) return [`${name}: ${String(value)}`];
  return (value as Tuple[]).map(
    ({ user, relation, object }) => `${name}: ${user} ${relation} ${object}`,
  );
}

interface Tuple {
  user: string;
  relation: string;
  object: string;
}
