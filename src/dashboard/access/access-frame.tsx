import { Outlet } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { NeedsPermission } from '../organizations/parts/problem.tsx';
import { useOrganization } from '../organizations/use-organization.ts';
import { LinkTabs } from '../parts/link-tabs.tsx';
import { Page } from '../parts/page.tsx';

const TABS = [
  { page: '', text: 'access.tab_what' },
  { page: '/who', text: 'access.tab_who' },
  { page: '/explain', text: 'access.tab_explain' },
  { page: '/compare', text: 'access.tab_compare' },
  { page: '/reviews', text: 'access.reviews_title' },
  { page: '/unused', text: 'unused.title' },
  { page: '/decisions', text: 'access.decisions_title' },
] as const;

/** The pages of the access explorer, below links to each; for those who may read the audit log. */
export function AccessFrame() {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  if (!may('can_view_organization_audit'))
    return (
      <Page title={t('space.access')}>
        <NeedsPermission permission="can_view_organization_audit" />
      </Page>
    );
  return (
    <>
      <LinkTabs
        label={t('space.access')}
        tabs={TABS.map(({ page, text }) => ({ to: `/app/org/${id}/access${page}`, text: t(text) }))}
        isFirstExact
      />
      <Outlet />
    </>
  );
}
