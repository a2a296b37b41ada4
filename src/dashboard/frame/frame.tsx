import { Anchor, AppShell, Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconApi,
  IconAppWindow,
  IconBook2,
  IconChartBar,
  IconFileText,
  IconKey,
  IconLayoutDashboard,
  IconLink,
  IconMessage2,
  IconPlugConnected,
  IconRobot,
  IconSettings,
  IconTools,
} from '@tabler/icons-react';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { OrganizationNavigation } from '../organizations/navigation.tsx';
import { Switcher } from '../organizations/switcher.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Mark } from './mark.tsx';
import { groupClass } from './navigation-groups.ts';
import { OfflineBanner } from './offline-banner.tsx';

const PLACES = [
  { to: '/app', text: 'frame.overview', group: 'start', Icon: IconLayoutDashboard },
  { to: '/app/connect', text: 'frame.connect', group: 'start', Icon: IconPlugConnected },
  { to: '/app/keys', text: 'frame.keys', group: 'credentials', Icon: IconKey },
  { to: '/app/connections', text: 'frame.connections', group: 'credentials', Icon: IconLink },
  { to: '/app/clients', text: 'frame.clients', group: 'credentials', Icon: IconAppWindow },
  { to: '/app/mcp', text: 'frame.mcp', group: 'content', Icon: IconTools },
  { to: '/app/tools', text: 'content.tools.title', group: 'content', Icon: IconApi },
  { to: '/app/prompts', text: 'content.prompts.title', group: 'content', Icon: IconMessage2 },
  { to: '/app/resources', text: 'content.resources.title', group: 'content', Icon: IconFileText },
  { to: '/app/agents', text: 'content.agents.title', group: 'content', Icon: IconRobot },
  { to: '/app/usage', text: 'frame.usage', group: 'account', Icon: IconChartBar },
  { to: '/app/settings', text: 'frame.settings', group: 'account', Icon: IconSettings },
] as const;

/** The frame of every page of a signed-in person: header, navigation and the page. */
export function Frame() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const [isOpen, menu] = useDisclosure(false);
  const { close } = menu;
  useEffect(close, [pathname, close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="lg"
    >
      <Anchor href="#content" className="skip">
        {t('frame.skip')}
      </Anchor>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={menu.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t('frame.menu')}
            />
            <Link to="/app" className="brand">
              <Mark />
              <Text fw={600} span>
                toolgate
              </Text>
            </Link>
          </Group>
          <AccountMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={t('frame.menu')}>
        <Switcher />
        <OrganizationNavigation personal={<PersonalNavigation />} />
        <NavLink
          mt="auto"
          component="a"
          href="/docs/api"
          label={t('frame.reference')}
          leftSection={<IconBook2 size={18} stroke={1.6} aria-hidden />}
        />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <OfflineBanner />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function PersonalNavigation() {
  const { t } = useTranslation();
  return PLACES.map(({ to, text, Icon }, index) => (
    <NavLink
      key={to}
      className={groupClass(PLACES, index)}
      // The link marks the current page, and the library shows that mark.
      renderRoot={(props) => <Link to={to} activeOptions={{ exact: to === '/app' }} {...props} />}
      label={t(text)}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
    />
  ));
}
