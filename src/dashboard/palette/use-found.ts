import type { Icon } from '@tabler/icons-react';
import {
  IconApi,
  IconAppWindow,
  IconFileText,
  IconKey,
  IconMessage2,
  IconRobot,
  IconUser,
  IconUsersGroup,
} from '@tabler/icons-react';
import { queryOptions, useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { request } from '../api/request.ts';
import { useOpenOrganization } from '../organizations/use-open-organization.ts';
import { useGoTo } from './commands.ts';
import type { Command } from './commands.ts';

/** Entries of each list that are shown. */
const LIMIT = 5;

/** A list that the service searches by name. */
interface Source {
  /** Last part of its REST path. */
  list: string;
  /** Last part of its page's address. */
  page: string;
  text: 'keys' | 'clients' | 'tools' | 'prompts' | 'resources' | 'agents' | 'members' | 'teams';
  /** The permission that an organization's list needs; null if none. */
  needs?: string | null;
  Icon: Icon;
}

const CONTENT: readonly Source[] = [
  { list: 'custom-tools', page: 'tools', text: 'tools', Icon: IconApi },
  { list: 'prompts', page: 'prompts', text: 'prompts', Icon: IconMessage2 },
  { list: 'resources', page: 'resources', text: 'resources', Icon: IconFileText },
  { list: 'agents', page: 'agents', text: 'agents', Icon: IconRobot },
];

/** The name and the id of an entry in a list. */
type Entry =
  | { id: string; name: string }
  | { id: string; path: string }
  | { account_id: string; email: string | null };

/** The lists of the space that is open: their REST paths and the addresses of their pages. */
function useSources(): (Source & { api: string; address: string })[] {
  const { id: organizationId, organization } = useOpenOrganization();
  if (organizationId === null)
    return [
      { ...KEYS, api: '/api/keys', address: '/app/keys' },
      { ...CLIENTS, api: '/api/me/oauth-clients', address: '/app/clients' },
      ...CONTENT.map((one) => ({
        ...{ ...one, api: `/api/me/${one.list}`, address: `/app/${one.page}` },
      })),
    ];
  const held = organization?.membership.permissions;
  return [...IN_ORGANIZATION, ...CONTENT]
    .filter(({ needs, page }) => {
      const permission = needs === undefined ? `can_view_organization_${page}` : needs;
      return permission === null || held?.includes(permission);
    })
    .map((one) => ({
      ...{ ...one, api: `/api/organizations/${organizationId}/${one.list}` },
      address: `/app/org/${organizationId}/${one.page}`,
    }));
}

const KEYS: Source = {
  ...{ list: 'keys', page: 'keys', text: 'keys', Icon: IconKey },
  needs: 'can_view_organization_api_keys',
};
const CLIENTS: Source = {
  list: 'oauth-clients',
  page: 'clients',
  text: 'clients',
  Icon: IconAppWindow,
};
const IN_ORGANIZATION: readonly Source[] = [
  { list: 'members', page: 'members', text: 'members', Icon: IconUser },
  { list: 'teams', page: 'teams', text: 'teams', needs: null, Icon: IconUsersGroup },
  KEYS,
];

const foundQuery = (api: string, q: string) =>
  queryOptions({
    queryKey: ['palette', api, q],
    queryFn: ({ signal }) =>
      request<{ data: Entry[] }>(`${api}?${new URLSearchParams({ q, limit: String(LIMIT) })}`, {
        signal,
      }),
    enabled: q !== '',
  });

/** Searches the lists of the space that is open, as far as the service lets the person. */
export function useFound(q: string): {
  commands: Command[];
  isPending: boolean;
  hasFailed: boolean;
} {
  const { t } = useTranslation();
  const goTo = useGoTo();
  const sources = useSources();
  const results = useQueries({ queries: sources.map(({ api }) => foundQuery(api, q)) });
  const commands = results.flatMap(({ data }, index) => {
    const { address, text, Icon: icon } = sources[index]!;
    return (data?.data ?? []).map<Command>((entry) => {
      const id = 'id' in entry ? entry.id : entry.account_id;
      return {
        ...{ id: `${address}/${id}`, group: 'found', label: nameOf(entry), Icon: icon },
        note: t(`palette.kind_${text}`),
        run: goTo(`${address}/${id}`),
      };
    });
  });
  return {
    commands,
    isPending: q !== '' && results.some(({ isPending }) => isPending),
    hasFailed: results.some(({ isError }) => isError),
  };
}

function nameOf(entry: Entry): string {
  if ('name' in entry) return entry.name;
  return 'path' in entry ? entry.path : (entry.email ?? entry.account_id);
}
