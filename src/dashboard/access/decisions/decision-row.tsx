import { Badge, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useOrganization } from '../../organizations/use-organization.ts';
import { Moment } from '../../parts/moment.tsx';
import { shortId } from '../../parts/short-id.ts';
import type { Translate } from '../../texts/texts.ts';
import classes from '../access.module.css';
import type { ExplainSearch } from '../access-search.ts';
import { isInTeams, PERMISSION_NAMES, permissionText, reasonText } from '../power-words.ts';
import type { Decision } from './decisions.ts';

/** A decision: who, about what, its outcome and, if it denied, why. */
export function DecisionRow({
  decision,
  teamOf,
}: {
  decision: Decision;
  teamOf(id: string): string;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const { subject, outcome, reason, at, team, sampled } = decision;
  const isDenied = outcome === 'denied';
  const power = powerOf(decision, t);
  const name = subject.name ?? shortId(subject.id);
  const why = questionOf(decision);
  return (
    <li className={`list-row ${classes.decision}`}>
      <div>
        <Text fw={600}>
          <bdi>{power}</bdi>
          {team !== null && (
            <Text span size="sm" c="dimmed">
              {' '}
              (<bdi>{teamOf(team)}</bdi>)
            </Text>
          )}
        </Text>
        <Text size="sm" c="dimmed">
          {t(`access.kind_${subject.kind}`)}{' '}
          <Link
            to="/app/org/$organizationId/access"
            params={{ organizationId: id }}
            search={{ kind: subject.kind, subject: subject.id }}
            className="quiet-link"
          >
            <bdi>{name}</bdi>
          </Link>
        </Text>
      </div>
      <div>
        <Badge
          variant="light"
          color={isDenied ? 'red' : 'teal'}
          leftSection={
            isDenied ? (
              <IconCircleX size={14} aria-hidden />
            ) : (
              <IconCircleCheck size={14} aria-hidden />
            )
          }
        >
          {t(isDenied ? 'access.denied' : 'access.allowed')}
        </Badge>
        {reason !== null && <Text size="sm">{reasonText(reason, t)}</Text>}
        {sampled > 1 && (
          <Text size="sm" c="dimmed">
            {t('access.stands_for', { count: sampled })}
          </Text>
        )}
      </div>
      <div className={classes.end}>
        <Moment at={at} />{' '}
        {why !== null && (
          <Link
            to="/app/org/$organizationId/access/explain"
            params={{ organizationId: id }}
            search={why}
            className="text-link"
            aria-label={t('access.why_of', { name: `${name}, ${power}` })}
          >
            {t('access.why')}
          </Link>
        )}
      </div>
    </li>
  );
}

function powerOf({ action }: Decision, t: Translate): string {
  if (typeof action === 'string') return permissionText(action, t);
  return action.name ?? t('access.unknown_item');
}

/** What explains the decision; null if nothing does: only credentials use items. */
function questionOf({ subject: { kind, id }, action, team }: Decision): ExplainSearch | null {
  if (typeof action !== 'string')
    return action.name === null || kind === 'member'
      ? null
      : { kind, subject: id, about: 'item', family: `${action.family}s`, item: action.name };
  const isKnown =
    PERMISSION_NAMES.organization.includes(action) || PERMISSION_NAMES.team.includes(action);
  if (!isKnown || (isInTeams(action) && team === null)) return null;
  return {
    ...{ kind, subject: id, permission: action },
    ...(team !== null && isInTeams(action) ? { team } : {}),
  };
}
