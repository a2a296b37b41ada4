import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { OrganizationMcpSettings } from '../../content/selection/schema.ts';
import { request } from '../api/request.ts';
import { pathOf } from './organizations.ts';
import { useOrganization } from './use-organization.ts';

/** What a new organization lacks, as far as the person may add it. */
const STEPS = [
  {
    text: 'invitations.invite',
    needs: 'can_invite_organization_members',
    page: '/invitations',
    search: { new: true },
    // The Owner is a member from the start.
    list: { path: '/members?limit=2', atLeast: 2 },
  },
  {
    text: 'teams.create',
    needs: 'can_update_organization_teams',
    page: '/teams',
    search: { new: true },
    list: { path: '/teams?limit=1', atLeast: 1 },
  },
  {
    text: 'org.choose_tools',
    needs: 'can_update_organization_mcp_settings',
    page: '/mcp',
    search: {},
    list: null,
  },
  {
    text: 'org_keys.create',
    needs: 'can_create_organization_api_keys',
    page: '/keys/new',
    search: {},
    list: { path: '/keys?limit=1', atLeast: 1 },
  },
] as const;

/** Links to what is to be done next; those that are done are left out. */
export function NextSteps() {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  const allowed = STEPS.filter(({ needs }) => may(needs));
  const steps = useQuery({
    queryKey: ['next-steps', id, allowed.map(({ text }) => text)],
    queryFn: async ({ signal }) => {
      const done = await Promise.all(
        allowed.map(async ({ list }) => {
          if (list === null) {
            const path = pathOf(id, '/mcp-settings');
            return (await request<OrganizationMcpSettings>(path, { signal })).tools.length > 0;
          }
          const { data } = await request<{ data: unknown[] }>(pathOf(id, list.path), { signal });
          return data.length >= list.atLeast;
        }),
      );
      return allowed.filter((_, index) => !done[index]);
    },
    enabled: allowed.length > 0,
  });
  // It is only help: without it, the page is complete.
  if (steps.data === undefined || steps.data.length === 0) return null;
  return (
    <section aria-labelledby="next-steps">
      <Title order={2} id="next-steps" mb="sm">
        {t('org.next')}
      </Title>
      <ul className="card list rows">
        {steps.data.map(({ text, page, search }) => {
          const address: string = `/app/org/${id}${page}`;
          return (
            <li key={text} className="list-row">
              <Link to={address} search={search} className="text-link">
                {t(text)}
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
