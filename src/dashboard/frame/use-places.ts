import type { Icon } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { PLACES as ORGANIZATION_PLACES } from '../organizations/places.ts';
import { useOpenOrganization } from '../organizations/use-open-organization.ts';
import { PLACES } from './places.ts';

/** A page that the navigation lists. */
export interface Place {
  address: string;
  label: string;
  /** Places that belong together are next to each other. */
  group: string;
  /** The key that leads to it after `g`; null if there is none. */
  go: string | null;
  Icon: Icon;
  /** Whether it is the first page, whose address is the beginning of all others. */
  isFirst: boolean;
}

/**
 * The pages that the session may open, of the organization whose page is open, else those of the
 * person's own account.
 */
export function usePlaces(): Place[] {
  const { t } = useTranslation();
  const { id: organizationId, organization } = useOpenOrganization();
  if (organizationId === null)
    return PLACES.map(({ to, text, group, go, Icon }, index) => ({
      ...{ address: to, label: t(text), group, go, Icon, isFirst: index === 0 },
    }));
  const held = organization?.membership.permissions;
  return ORGANIZATION_PLACES.filter(({ needs }) => needs === null || held?.includes(needs)).map(
    ({ to, text, group, go, Icon }, index) => ({
      ...{
        address: to.replace('$organizationId', organizationId),
        label: t(text),
        group,
        go,
        Icon,
      },
      isFirst: index === 0,
    }),
  );
}
