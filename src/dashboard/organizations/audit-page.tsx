import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { auditFile } from '../audit/audit.ts';
import { AuditLog } from '../audit/audit-log.tsx';
import { Page } from '../parts/page.tsx';
import { pathOf } from './organizations.ts';
import { NeedsPermission } from './parts/problem.tsx';
import { useOrganization } from './use-organization.ts';

const route = getRouteApi('/app/org/$organizationId/audit');

/** Every change in the organization. */
export function AuditPage() {
  const { t } = useTranslation();
  const { id, name, may } = useOrganization();
  const search = route.useSearch();
  const path = pathOf(id, '/audit');
  const mayView = may('can_view_organization_audit');
  return (
    <Page
      title={t('org_audit.title', { name })}
      actions={
        mayView && (
          <Button
            component="a"
            href={auditFile(path, search)}
            download
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {t('audit.download')}
          </Button>
        )
      }
    >
      {mayView ? (
        <AuditLog path={path} memberPage={(account) => `/app/org/${id}/members/${account}`} />
      ) : (
        <NeedsPermission permission="can_view_organization_audit" />
      )}
    </Page>
  );
}
