import { NavLink } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { groupClass } from '../frame/navigation-groups.ts';
import { organizationsQuery } from './organizations.ts';
import { PLACES } from './places.ts';

/** The navigation of the organization whose page is open, as far as the session may open it. */
export function OrganizationNavigation({ personal }: { personal: ReactNode }) {
  const { t } = useTranslation();
  const { organizationId } = useParams({ strict: false });
  const { data: organizations } = useQuery(organizationsQuery);
  if (organizationId === undefined) return personal;
  const held = organizations?.find(({ id }) => id === organizationId)?.membership.permissions;
  const open = PLACES.filter(({ needs }) => needs === null || held?.includes(needs));
  return open.map(({ to, text, Icon }, index) => (
    <NavLink
      key={to}
      className={groupClass(open, index)}
      renderRoot={(props) => (
        <Link
          to={to}
          params={{ organizationId }}
          activeOptions={{ exact: to === '/app/org/$organizationId' }}
          {...props}
        />
      )}
      label={t(text)}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
    />
  ));
}
