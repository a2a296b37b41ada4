import { ActionIcon, Menu, Text, useMantineColorScheme } from '@mantine/core';
import {
  IconCheck,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSettings,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Language } from '../../texts/languages.ts';
import { request } from '../api/request.ts';
import { profileQuery } from '../api/session.ts';
import { chooseLanguage, dashboardLanguages, storeLanguage } from '../texts/texts.ts';

const SCHEMES = [
  { scheme: 'auto', text: 'frame.scheme_auto', Icon: IconDeviceDesktop },
  { scheme: 'light', text: 'frame.scheme_light', Icon: IconSun },
  { scheme: 'dark', text: 'frame.scheme_dark', Icon: IconMoon },
] as const;

/** Language, colour scheme, and signing out. */
export function AccountMenu() {
  const { t, i18n } = useTranslation();
  const { data: account } = useQuery(profileQuery);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queries = useQueryClient();
  const navigate = useNavigate();

  async function signOut() {
    await request('/api/auth/logout', { method: 'POST' });
    queries.clear();
    await navigate({ to: '/sign-in' });
  }

  function choose(language: Language) {
    storeLanguage(language);
    void chooseLanguage(language);
  }

  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('frame.account')}>
          <IconUserCircle aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Text size="sm" px="sm" py="xs">
          <bdi>{account?.email}</bdi>
        </Text>
        <Menu.Item
          leftSection={<IconSettings size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/app/settings" {...props} />}
        >
          {t('frame.settings')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t('frame.scheme')}</Menu.Label>
        {SCHEMES.map(({ scheme, text, Icon }) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={colorScheme === scheme ? <IconCheck size={16} aria-hidden /> : null}
            aria-current={colorScheme === scheme}
            onClick={() => setColorScheme(scheme)}
          >
            {t(text)}
          </Menu.Item>
        ))}
        {dashboardLanguages.length > 1 && <Menu.Label>{t('frame.language')}</Menu.Label>}
        {dashboardLanguages.length > 1 &&
          dashboardLanguages.map((language) => (
            <Menu.Item
              key={language}
              lang={language}
              rightSection={
                i18n.resolvedLanguage === language ? <IconCheck size={16} aria-hidden /> : null
              }
              aria-current={i18n.resolvedLanguage === language}
              onClick={() => choose(language)}
            >
              {new Intl.DisplayNames([language], { type: 'language' }).of(language)}
            </Menu.Item>
          ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => void signOut()}
        >
          {t('frame.sign_out')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
