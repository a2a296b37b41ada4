import { Anchor, AppShell, Burger, Group, NavLink, Skeleton, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBook2 } from '@tabler/icons-react';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Shortcuts } from '../palette/shortcuts.tsx';
import { onDemand } from '../parts/on-demand.tsx';
import { readLayers } from './layers-on-demand.tsx';
import { Mark } from './mark.tsx';
import { Navigation } from './navigation.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { untilIdle } from './until-idle.ts';

// Pages do not wait for the library's menus, which are read once the page is drawn.
const AccountMenu = onDemand(async () => {
  await untilIdle();
  return (await import('./account-menu.tsx')).AccountMenu;
});
const Switcher = onDemand(async () => {
  await untilIdle();
  return (await import('../organizations/switcher.tsx')).Switcher;
});

/** The frame of every page of a signed-in person: header, navigation and the page. */
export function Frame() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const [isOpen, menu] = useDisclosure(false);
  const { close } = menu;
  useEffect(close, [pathname, close]);
  useEffect(() => void untilIdle().then(readLayers), []);
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
          <Group gap="xs" wrap="nowrap">
            <Shortcuts />
            <Suspense fallback={<Skeleton width={34} height={34} />}>
              <AccountMenu />
            </Suspense>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={t('frame.menu')}>
        <Suspense fallback={<Skeleton height={36} mb="sm" className="switcher" />}>
          <Switcher />
        </Suspense>
        {/* Only the links scroll: what changes the space stays in view on a low screen. */}
        <div className="nav-links">
          <Navigation />
          <NavLink
            mt="auto"
            component="a"
            href="/docs/api"
            label={t('frame.reference')}
            leftSection={<IconBook2 size={18} stroke={1.6} aria-hidden />}
          />
        </div>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <OfflineBanner />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
