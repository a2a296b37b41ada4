import { Outlet } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { LinkTabs } from '../parts/link-tabs.tsx';

const PLACES = [
  { to: '/app/settings', text: 'settings.profile' },
  { to: '/app/settings/security', text: 'settings.security' },
  { to: '/app/settings/sessions', text: 'settings.sessions' },
  { to: '/app/settings/audit', text: 'settings.audit' },
  { to: '/app/settings/data', text: 'settings.data' },
] as const;

/** The pages of the settings of an account, below links to each. */
export function SettingsFrame() {
  const { t } = useTranslation();
  return (
    <>
      <LinkTabs
        label={t('settings.title')}
        tabs={PLACES.map(({ to, text }) => ({ to, text: t(text) }))}
        isExact
      />
      <Outlet />
    </>
  );
}
