import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Page } from '../../parts/page.tsx';
import { pagedQuery } from '../organizations.ts';
import { Entries } from '../parts/entries.tsx';
import { useOrganization } from '../use-organization.ts';
import { mayIn } from './role-form.tsx';
import { ROLE_KINDS, rolesPath } from './role-kinds.ts';
import type { Role, RoleKind } from './role-kinds.ts';

export const RolesPage = () => <Roles kind="organization" />;
export const TeamRolesPage = () => <Roles kind="team" />;

/** The roles of one kind. */
function Roles({ kind }: { kind: RoleKind }) {
  const { t } = useTranslation();
  const { id, name, may } = useOrganization();
  return (
    <Page
      title={t(`roles.title_${kind}`, { name })}
      actions={
        may(mayIn(kind, 'create')) && (
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            renderRoot={(props) => (
              <Link
                to={`${ROLE_KINDS[kind].place}/new`}
                params={{ organizationId: id }}
                {...props}
              />
            )}
          >
            {t('roles.create')}
          </Button>
        )
      }
    >
      <Stack>
        <Text c="dimmed">{t(`roles.intro_${kind}`)}</Text>
        <Entries
          query={pagedQuery<Role>(rolesPath(kind, id))}
          empty={t('roles.none')}
          idOf={(role) => role.id}
        >
          {(role) => <RoleRow kind={kind} role={role} />}
        </Entries>
      </Stack>
    </Page>
  );
}

function RoleRow({ kind, role }: { kind: RoleKind; role: Role }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  return (
    <Link
      to={`${ROLE_KINDS[kind].place}/$roleId`}
      params={{ organizationId: id, roleId: role.id }}
      className="list-row"
    >
      <Group justify="space-between" gap="sm">
        <div>
          <Text fw={600}>
            <bdi>{role.name}</bdi>{' '}
            {role.system && (
              <Badge size="sm" variant="default" tt="none">
                {t('roles.system')}
              </Badge>
            )}
          </Text>
          <Text size="sm" c="dimmed">
            <bdi>{role.description}</bdi>
          </Text>
        </div>
        <Text size="sm" c="dimmed">
          {t('roles.members', { count: role.members })} ·{' '}
          {t('org.permissions', { count: role.permissions.length })}
        </Text>
      </Group>
    </Link>
  );
}
