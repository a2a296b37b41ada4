import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Place } from '../content/family.ts';
import { addressOf, SpaceContext } from '../content/space.ts';
import type { Space } from '../content/space.ts';
import { pathOf } from './organizations.ts';
import { Problem } from './parts/problem.tsx';
import { mayInTeam, teamPath, teamQuery } from './teams/teams.ts';
import { useOrganization } from './use-organization.ts';
import { LinkTabs } from '../parts/link-tabs.tsx';
import { LoadingPage } from '../parts/loading.tsx';

/** The catalog of an organization, as the space of the pages below. */
export function CatalogSpace() {
  const { id, organization } = useOrganization();
  const { permissions } = organization.membership;
  const space = useMemo<Space>(() => {
    const held = new Set<string>(permissions);
    return {
      isCatalog: true,
      catalog: null,
      api: pathOf(id),
      pages: `/app/org/${id}`,
      lacks: missing('organization', (permission) => held.has(permission)),
    };
  }, [id, permissions]);
  return <In space={space} />;
}

/** A member's own space in an organization, in which no permission is needed. */
export function MemberSpace() {
  const { t } = useTranslation();
  const { id, organization } = useOrganization();
  const space = useMemo<Space>(
    () => ({
      isCatalog: false,
      catalog: null,
      api: pathOf(id, '/me'),
      pages: `/app/org/${id}/me`,
      lacks: () => null,
    }),
    [id],
  );
  return <In space={space} title={t('content.own_space_title', { name: organization.name })} />;
}

/** The space of a team. */
export function TeamSpace() {
  const { t } = useTranslation();
  const { id, organization } = useOrganization();
  const { permissions } = organization.membership;
  const { teamId = '' } = useParams({ strict: false });
  const team = useQuery(teamQuery(id, teamId));
  const { data } = team;
  const space = useMemo<Space | null>(
    () =>
      data === undefined
        ? null
        : {
            isCatalog: false,
            catalog: `/app/org/${id}`,
            api: teamPath(id, teamId),
            pages: `/app/org/${id}/teams/${teamId}`,
            lacks: missing('team', mayInTeam(new Set<string>(permissions), data)),
          },
    [id, teamId, permissions, data],
  );
  if (space === null || data === undefined) {
    if (team.isError) return <Problem error={team.error} onRetry={() => void team.refetch()} />;
    return <LoadingPage />;
  }
  return (
    <In
      space={space}
      title={
        <Link to="/app/org/$organizationId/teams/$teamId" params={{ organizationId: id, teamId }}>
          {t('content.team_space_title', { name: data.title })}
        </Link>
      }
    />
  );
}

const missing =
  (scope: 'organization' | 'team', may: (permission: string) => boolean): Space['lacks'] =>
  (verb, place) => {
    const permission = `can_${verb}_${scope}_${place}`;
    return may(permission) ? null : permission;
  };

const FAMILIES: readonly Place[] = ['tools', 'prompts', 'resources', 'agents'];

/** Sets the space; one that is not in the navigation has a title and links of its own. */
function In({ space, title }: { space: Space; title?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <SpaceContext value={space}>
      {title !== undefined && (
        <>
          <div className="page-parents">{title}</div>
          <LinkTabs
            label={t('content.families')}
            tabs={FAMILIES.map((place) => ({
              to: addressOf(space, place),
              text: t(`content.${place}.title`),
            }))}
          />
        </>
      )}
      <Outlet />
    </SpaceContext>
  );
}
