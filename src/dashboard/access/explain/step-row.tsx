import { Badge, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleDashed, IconCircleX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import {
  capabilities,
  organizationPermissions,
  teamPermissions,
} from '../../../authz/permissions.ts';
import type { AccessExplanation, Evidence } from '../../../explorer/schema.ts';
import { FixLink } from '../../keys/fix-link.tsx';
import { CopiedCode } from '../../parts/copied-code.tsx';
import type { TextName, Translate } from '../../texts/texts.ts';
import classes from '../access.module.css';
import { Chain } from '../evidence/evidence.tsx';
import type { TupleNames } from '../evidence/tuple-words.ts';
import { permissionText, reasonText } from '../power-words.ts';

type Step = AccessExplanation['steps'][number];

const OUTCOMES = {
  passed: { color: 'teal', Icon: IconCircleCheck, text: 'access.passed' },
  failed: { color: 'red', Icon: IconCircleX, text: 'access.failed' },
  not_reached: { color: 'gray', Icon: IconCircleDashed, text: 'access.not_reached' },
} as const;

/** A step of a decision: its rule, its outcome, what that rests on, and how to repeat or change it. */
export function StepRow({ step, names }: { step: Step; names: TupleNames }) {
  const { t } = useTranslation();
  const { rule, outcome, reason, evidence, check, change_url } = step;
  const { color, Icon, text } = OUTCOMES[outcome];
  const tuples = evidence.filter((one): one is Evidence => 'object' in one);
  const rows = evidence.flatMap((one) => ('row' in one ? [one.row] : []));
  const isMissing = outcome === 'failed';
  return (
    <li className={`list-row ${classes.step}`}>
      <div>
        <Text size="sm" fw={600}>
          {ruleText(rule, t)}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace" dir="ltr">
          {rule}
        </Text>
      </div>
      <div className={classes['step-state']}>
        <Badge variant="light" color={color} leftSection={<Icon size={14} aria-hidden />}>
          {t(text)}
        </Badge>
        <FixLink url={change_url} />
      </div>
      <div className={classes.chain}>
        {reason !== null && <Text size="sm">{reasonText(reason, t)}</Text>}
        {isMissing && tuples.length > 0 && <Text size="sm">{t('access.missing')}</Text>}
        {tuples.length > 0 && <Chain tuples={tuples} names={names} isMissing={isMissing} />}
        {rows.map((row, index) => (
          <dl key={index} className={classes['row-values']} aria-label={t('explain.evidence')}>
            {Object.entries(row)
              .filter(([, value]) => value !== null)
              .map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd className="mono" dir="ltr">
                    {typeof value === 'string' ? value : JSON.stringify(value)}
                  </dd>
                </div>
              ))}
          </dl>
        ))}
        {check !== null && (
          <CopiedCode
            label={t('access.check')}
            text={`fga query check ${check.user} ${check.relation} ${check.object}`}
          />
        )}
      </div>
    </li>
  );
}

/** Texts of rules that are no permission, capability, policy or limit. */
const RULES: Readonly<Record<string, TextName>> = {
  credential_usable: 'access.rule.usable',
  usable: 'access.rule.usable',
  address_allowed: 'access.rule.address_allowed',
  within_hours: 'access.rule.within_hours',
  member: 'access.rule.member',
  organization_active: 'access.rule.organization_active',
  can_see: 'access.rule.can_see',
  active: 'access.rule.active',
  token_scope: 'access.rule.token_scope',
  can_connect: 'access.rule.can_connect',
  exists: 'access.rule.exists',
  selected: 'access.rule.selected',
  approved: 'access.rule.approved',
  exposed: 'access.rule.exposed',
};

/** Returns a rule in words. */
export function ruleText(rule: string, t: Translate): string {
  const text = RULES[rule];
  if (text !== undefined) return t(text);
  if (rule.endsWith('_policy')) return t('access.rule.own_policy');
  if (/_per_(?:minute|hour|day|month)$/.test(rule)) return t('access.rule.limit');
  const kind = capabilities.find((one) => rule === `can_use_${one}`);
  if (kind !== undefined) return t('access.tuple.declared', { kind: t(`capability.${kind}`) });
  const named = [...organizationPermissions, ...teamPermissions].find(
    ({ relation }) => rule === `can_${relation}`,
  );
  const grant = named?.grant ?? null;
  return grant === null
    ? t('access.permission')
    : t('access.rule.permission', { permission: permissionText(grant, t) });
}
