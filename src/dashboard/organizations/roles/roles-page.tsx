import { Badge, Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Page } from '../../parts/page.tsx';
import { Fact, Row } from '../../parts/row.tsx';
import { pagedQuery } from '../organizations.ts';
import { Entries } from '../parts/entries.tsx';
import { useOrganization } from '../use-organization.ts';
import { roleName } from './role-name.ts';
import { neededFor, useRolePlace } from './role-kinds.ts';
import type { Role, RoleKind, RolePlace } from './role-kinds.ts';

export const RolesPage = () => <Roles kind="organization" />;
export const TeamRolesPage = () => <Roles kind="team" />;

/** The roles of one kind. */
function Roles({ kind }: { kind: RoleKind }) {
  const { t } = useTranslation();
  const { name } = useOrganization();
  const place = useRolePlace(kind);
  return (
    <Page
      title={t(`roles.title_${kind}`, { name })}
      about={t(`roles.intro_${kind}`)}
      actions={<CreateRole place={place} />}
    >
      <RoleList place={place} />
    </Page>
  );
}

/** Leads to the page that creates a role, if the person may. */
export function CreateRole({ place }: { place: RolePlace }) {
  const { t } = useTranslation();
  if (!place.may(neededFor(place, 'create'))) return null;
  return (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to={`${place.pages}/new`} {...props} />}
    >
      {t('roles.create')}
    </Button>
  );
}

export function RoleList({ place }: { place: RolePlace }) {
  const { t } = useTranslation();
  return (
    <Entries query={pagedQuery<Role>(place.api)} empty={t('roles.none')} idOf={(role) => role.id}>
      {(role) => <RoleRow place={place} role={role} />}
    </Entries>
  );
}

function RoleRow({ place, role }: { place: RolePlace; role: Role }) {
  const { t } = useTranslation();
  const page: string = `${place.pages}/${role.id}`;
  return (
    <Link to={page} className="list-row columns">
      <Row
        name={
          <>
            <bdi>{roleName(role, t)}</bdi>{' '}
            {role.system && (
              <Badge size="sm" variant="default" tt="none" me={6}>
                {t('roles.system')}
              </Badge>
            )}
            {place.team !== null && (
              <Badge size="sm" variant="light" tt="none">
                {t(role.team_id === place.team.id ? 'roles.this_team' : 'roles.all_teams')}
              </Badge>
            )}
          </>
        }
        about={role.description === '' ? undefined : <bdi>{role.description}</bdi>}
        end={t('org.permissions', { count: role.permissions.length })}
      >
        <Fact isNumber>{t('roles.members', { count: role.members })}</Fact>
      </Row>
    </Link>
  );
}
