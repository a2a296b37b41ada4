import { ActionIcon, Menu, Text, useMantineColorScheme } from '@mantine/core';
import {
  IconCheck,
  IconLogout,
  IconSettings,
  IconTrash,
  IconUserCircle,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { profileQuery } from '../api/session.ts';
import { dashboardLanguages, keepLanguage, nameOfLanguage } from '../texts/texts.ts';
import { SCHEMES } from './schemes.ts';
import { useSignOut } from './use-sign-out.ts';

/** Only people of the demo have such addresses: the domain is reserved for examples (RFC 2606). */
const DEMO_DOMAIN = '@acme.example';

/** Language, colour scheme, and signing out. */
export function AccountMenu() {
  const { t, i18n } = useTranslation();
  const { data: account } = useQuery(profileQuery);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
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
        {account?.email?.endsWith(DEMO_DOMAIN) === true && (
          <Menu.Item
            leftSection={<IconTrash size={16} aria-hidden />}
            renderRoot={(props) => <Link to="/first-run" {...props} />}
          >
            {t('frame.remove_demo')}
          </Menu.Item>
        )}
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
              onClick={() => keepLanguage(language)}
            >
              {nameOfLanguage(language)}
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
