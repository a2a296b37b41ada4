import { useMantineColorScheme } from '@mantine/core';
import {
  IconBuilding,
  IconKeyboard,
  IconLanguage,
  IconLogout,
  IconPlus,
  IconUserCircle,
} from '@tabler/icons-react';
import type { Icon } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { SCHEMES } from '../frame/schemes.ts';
import { usePlaces } from '../frame/use-places.ts';
import { useSignOut } from '../frame/use-sign-out.ts';
import { organizationsQuery } from '../organizations/organizations.ts';
import { useOpenOrganization } from '../organizations/use-open-organization.ts';
import { dashboardLanguages, keepLanguage, nameOfLanguage } from '../texts/texts.ts';

/** The groups of the palette, in their order. */
export const GROUPS = ['pages', 'found', 'organizations', 'actions'] as const;

/** An entry of the palette. */
export interface Command {
  id: string;
  group: (typeof GROUPS)[number];
  label: string;
  /** The kind of entry, unless the group names it. */
  note?: string | undefined;
  /** Keys that do the same. */
  keys?: string | undefined;
  Icon: Icon;
  /** Goes to an address, or does something; one that goes elsewhere returns true. */
  run(): boolean;
}

/** Returns what the palette offers before anything is searched: pages, organizations and actions. */
export function useCommands(onShortcuts: () => void): Command[] {
  return [...usePages(), ...useOrganizations(), ...useActions(onShortcuts)];
}

/** Returns a function that makes a command's `run` of an address. */
export function useGoTo(): (address: string) => () => boolean {
  const navigate = useNavigate();
  return (address) => () => {
    void navigate({ to: address });
    return true;
  };
}

function usePages(): Command[] {
  const goTo = useGoTo();
  return usePlaces().map(({ address, label, go, Icon }) => ({
    ...{ id: address, group: 'pages', label, Icon, run: goTo(address) },
    keys: go === null ? undefined : `g ${go}`,
  }));
}

function useOrganizations(): Command[] {
  const { t } = useTranslation();
  const goTo = useGoTo();
  const { id: organizationId } = useOpenOrganization();
  const { data = [] } = useQuery(organizationsQuery);
  const personal: Command = {
    ...{ id: 'personal', group: 'organizations', label: t('space.personal'), Icon: IconUserCircle },
    run: goTo('/app'),
  };
  return [
    ...(organizationId === null ? [] : [personal]),
    ...data
      .filter(({ id }) => id !== organizationId)
      .map<Command>(({ id, name }) => ({
        ...{ id, group: 'organizations', label: name, Icon: IconBuilding },
        run: goTo(`/app/org/${id}`),
      })),
  ];
}

function useActions(onShortcuts: () => void): Command[] {
  const { t, i18n } = useTranslation();
  const goTo = useGoTo();
  const signOut = useSignOut();
  const navigate = useNavigate();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { id: organizationId, organization } = useOpenOrganization();
  const held = organization?.membership.permissions;
  const action = (id: string, label: string, icon: Icon, run: () => boolean): Command => ({
    ...{ id, group: 'actions', label, Icon: icon, run },
  });
  /** An action after which the page stays. */
  const stay = (run: () => void) => () => {
    run();
    return false;
  };
  const newKey =
    organizationId === null
      ? '/app/keys/new'
      : held?.includes('can_create_organization_api_keys')
        ? `/app/org/${organizationId}/keys/new`
        : null;
  /** Actions of the organization that open a dialog of one of its pages. */
  const dialogs = [
    { page: 'invitations', text: 'palette.invite', needs: 'can_invite_organization_members' },
    { page: 'teams', text: 'palette.create_team', needs: 'can_update_organization_teams' },
  ] as const;
  return [
    ...dialogs
      .filter(({ needs }) => held?.includes(needs))
      .map(({ page, text }) =>
        action(text, t(text), IconPlus, () => {
          void navigate({ to: `/app/org/${organizationId}/${page}`, search: { new: true } });
          return true;
        }),
      ),
    ...(newKey === null ? [] : [action('new-key', t('keys.new'), IconPlus, goTo(newKey))]),
    action('new-organization', t('space.create'), IconPlus, goTo('/app/organizations/new')),
    {
      ...action('shortcuts', t('palette.shortcuts'), IconKeyboard, stay(onShortcuts)),
      keys: '?',
    },
    ...SCHEMES.filter(({ scheme }) => scheme !== colorScheme).map(
      ({ scheme, text, Icon: icon }) => ({
        ...action(
          scheme,
          t(text),
          icon,
          stay(() => setColorScheme(scheme)),
        ),
        note: t('frame.scheme'),
      }),
    ),
    ...dashboardLanguages
      .filter((language) => language !== i18n.resolvedLanguage)
      .map((language) => ({
        ...action(
          language,
          nameOfLanguage(language),
          IconLanguage,
          stay(() => keepLanguage(language)),
        ),
        note: t('frame.language'),
      })),
    action(
      'sign-out',
      t('frame.sign_out'),
      IconLogout,
      stay(() => void signOut()),
    ),
  ];
}

/** Whether a command has every word of a text. */
export function matches({ label, note }: Command, text: string): boolean {
  const words = `${label} ${note ?? ''}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}
