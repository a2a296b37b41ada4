import type { AccessExplanation, AccessStep, SubjectKind } from '../../explorer/schema.ts';
import { subjectKinds } from '../../explorer/schema.ts';
import { OperatorError } from '../../platform/errors/operator-error.ts';
import { connectTo, entriesOf } from './connection.ts';
import type { AccessFlags, Organization } from './connection.ts';

/** What is asked: a permission and, for one in teams, the team. */
export interface PermissionFlags extends AccessFlags {
  permission: string;
  team?: string;
}

/** Prints why a subject has, or lacks, a permission; exits with 1 if it lacks it. */
export async function explainPermission(named: string, flags: PermissionFlags): Promise<void> {
  const organization = await connectTo(flags);
  const { permission, team: team_id } = flags;
  const subject = await findSubject(organization, named);
  const explanation = await organization.api<AccessExplanation>(
    'POST',
    `${organization.path}/access/explain`,
    { subject, permission, team_id },
  );
  console.log(flags.json ? JSON.stringify(explanation) : describe(explanation));
  if (!explanation.allowed) process.exitCode = 1;
}

/** Finds a subject by its kind and id, or a member by the e-mail address. */
async function findSubject({ api, path }: Organization, named: string) {
  const [kind, id] = named.split(':');
  if (id !== undefined && subjectKinds.includes(kind as SubjectKind)) return { kind, id };
  const query = `${path}/members?q=${encodeURIComponent(named)}`;
  for await (const member of entriesOf<{ account_id: string; email: string }>(api, query))
    if (member.email === named) return { kind: 'member', id: member.account_id };
  throw new OperatorError(
    `"${named}" must be the e-mail address of a member, or a kind and an id: ${subjectKinds.join(', ')}`,
  );
}

const describe = ({ allowed, steps }: AccessExplanation): string =>
  [allowed ? 'allowed' : 'denied', ...steps.flatMap(linesOf)].join('\n');

function linesOf({ rule, outcome, reason, evidence, check }: AccessStep): string[] {
  return [
    `  ${outcome.padEnd(11)}  ${rule}${reason === null ? '' : `: ${reason}`}`,
    ...evidence.map((one) =>
      'row' in one
        ? `      ${JSON.stringify(one.row)}`
        : `      ${one.subject} ${one.relation} ${one.object}${one.granted_at === null ? '' : `  since ${one.granted_at}`}`,
    ),
    ...(check === null
      ? []
      : [`      fga query check ${check.user} ${check.relation} ${check.object}`]),
  ];
}
