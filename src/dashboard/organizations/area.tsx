import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { MissingPage } from '../frame/failed-page.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { organizationsQuery } from './organizations.ts';
import { OrganizationContext } from './use-organization.ts';
import { LoadingPage } from '../parts/loading.tsx';

const route = getRouteApi('/app/org/$organizationId');

/** The parent of an organization's pages; to others than its members it does not exist. */
export function OrganizationArea() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const list = useQuery(organizationsQuery);
  if (list.isError && list.data === undefined)
    return <ErrorAlert error={list.error} onRetry={() => void list.refetch()} />;
  if (list.data === undefined) return <LoadingPage />;
  const organization = list.data.find(({ id }) => id === organizationId.toLowerCase());
  if (organization === undefined) return <MissingPage />;
  return (
    // Another organization's page keeps nothing of this one: no typed text, no open dialog.
    <OrganizationContext value={organization} key={organization.id}>
      <Stack>
        {organization.status === 'suspended' && (
          <Alert role="status" color="yellow">
            {t('org.suspended_body')}
          </Alert>
        )}
        <Outlet />
      </Stack>
    </OrganizationContext>
  );
}
