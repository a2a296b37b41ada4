import { Link } from '@tanstack/react-router';
import { useContext } from 'react';
import { useTranslation } from 'react-i18next';
import type { SubjectAccess } from '../../../explorer/schema.ts';
import { useTeamTitles } from '../../organizations/teams/use-team-titles.ts';
import { OrganizationContext } from '../../organizations/use-organization.ts';
import { kindsOf } from '../../parts/kinds.ts';
import { Moment } from '../../parts/moment.tsx';
import { listOf } from '../../texts/texts.ts';

/** What a subject is: its person, teams, last use and what it may use over MCP. */
export function SubjectFacts({ access }: { access: SubjectAccess }) {
  const { t } = useTranslation();
  // A person's own credentials are also shown outside of any organization.
  const organization = useContext(OrganizationContext);
  const titles = useTeamTitles();
  const { kind, owner, teams, follows, last_used_at } = access.subject;
  const isGroup = kind === 'role' || kind === 'team';
  const names = listOf(teams.map((team) => titles.get(team.id) ?? team.name));
  return (
    <dl className="card facts">
      {!isGroup && kind !== 'member' && organization !== null && (
        <div>
          <dt>{t('access.acts_for')}</dt>
          <dd>
            {owner === null ? (
              t('access.no_person')
            ) : (
              <Link
                to="/app/org/$organizationId/members/$accountId"
                params={{ organizationId: organization.id, accountId: owner.account_id }}
                className="text-link"
              >
                <bdi>{owner.email ?? t('org_keys.former_member')}</bdi>
              </Link>
            )}
          </dd>
        </div>
      )}
      {kind !== 'team' && (
        <div>
          <dt>{t('new_key.capabilities')}</dt>
          <dd>{kindsOf(access.capabilities, t)}</dd>
        </div>
      )}
      {!isGroup && (
        <div>
          <dt>{t('space.teams')}</dt>
          <dd>
            <bdi>{names || t('key.no_team')}</bdi>
            {follows && kind !== 'member' && <div>{t('key_form.teams_all')}</div>}
          </dd>
        </div>
      )}
      {!isGroup && kind !== 'member' && (
        <div>
          <dt>{t('key.last_used')}</dt>
          <dd>{last_used_at === null ? t('key.never') : <Moment at={last_used_at} />}</dd>
        </div>
      )}
      <div>
        <dt>{t('access.as_of')}</dt>
        <dd>
          <Moment at={access.as_of} />
        </dd>
      </div>
    </dl>
  );
}
