import { Link, Outlet } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

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
      <nav className="page subnav" aria-label={t('settings.title')}>
        {PLACES.map(({ to, text }) => (
          <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
            {t(text)}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  );
}
