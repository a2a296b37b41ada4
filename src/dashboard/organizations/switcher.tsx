import { Button, Menu, Text } from '@mantine/core';
import {
  IconBuilding,
  IconCheck,
  IconPlus,
  IconSelector,
  IconUserCircle,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { organizationsQuery } from './organizations.ts';
import { useOpenOrganization } from './use-open-organization.ts';

/** Changes between the personal space and the organizations. */
export function Switcher() {
  const { t } = useTranslation();
  const { data: organizations = [] } = useQuery(organizationsQuery);
  const { id: organizationId, organization: current } = useOpenOrganization();
  const name = current?.name ?? t('space.personal');
  const check = <IconCheck size={16} aria-hidden />;
  return (
    <Menu position="bottom-start" width="target">
      <Menu.Target>
        <Button
          className="switcher"
          variant="default"
          fullWidth
          mb="sm"
          justify="space-between"
          rightSection={<IconSelector size={16} aria-hidden />}
          aria-label={t('space.switch', { name })}
        >
          <Text span truncate size="sm" fw={600}>
            <bdi>{name}</bdi>
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconUserCircle size={16} aria-hidden />}
          rightSection={organizationId === null ? check : null}
          aria-current={organizationId === null}
          renderRoot={(props) => <Link to="/app" {...props} />}
        >
          {t('space.personal')}
        </Menu.Item>
        {organizations.map(({ id, name: label, status }) => (
          <Menu.Item
            key={id}
            leftSection={<IconBuilding size={16} aria-hidden />}
            rightSection={id === organizationId ? check : null}
            aria-current={id === organizationId}
            renderRoot={(props) => (
              <Link
                to="/app/org/$organizationId"
                params={{ organizationId: id }}
                activeOptions={{ exact: true }}
                {...props}
              />
            )}
          >
            <bdi>{label}</bdi>
            {status === 'suspended' && ` (${t('space.suspended')})`}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconPlus size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/app/organizations/new" {...props} />}
        >
          {t('space.create')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
