import { Button, Group, Stack, Tabs, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { everyTeamGrant, teamPermissions } from '../../authz/permissions.ts';
import type { Permission } from '../../authz/permissions.ts';
import { presets } from './key-search.ts';
import { grantField, PERSONAL, presetPermissions, UNUSABLE, withGrant } from './key-values.ts';
import type { KeyValues } from './key-values.ts';
import { organizationsQuery } from '../organizations/organizations.ts';
import type { Organization } from '../organizations/organizations.ts';
import { useOwner } from '../organizations/use-owner.ts';
import { PermissionTables } from '../parts/permission-tables.tsx';

type Form = UseFormReturnType<KeyValues>;

/** The permissions of a key: a tab for each context in which it can have some. */
export function GrantsField({ form }: { form: Form }) {
  const { t } = useTranslation();
  const { organization } = useOwner();
  const { data: organizations = [] } = useQuery(organizationsQuery);
  const contexts = [
    ...(organization === null
      ? [PERSONAL, ...organizations.map(({ id }) => id)]
      : [organization.id]),
    ...Object.keys(form.values.grants),
  ].filter((context, index, all) => all.indexOf(context) === index);
  const failed = contexts.find((context) => form.errors[grantField(context)] !== undefined) ?? null;
  const [shown, setShown] = useState({ context: contexts[0]!, failed });
  // An error shows its tab once; then another can be opened.
  if (failed !== shown.failed) setShown({ context: failed ?? shown.context, failed });
  const nameOf = (context: string) =>
    context === PERSONAL
      ? t('connection.own_account')
      : (organizations.find(({ id }) => id === context)?.name ?? t('key_form.organization_left'));
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('key_form.permissions_hint')}
      </Text>
      {contexts.length === 1 ? (
        <Grant form={form} context={contexts[0]!} organization={organization} />
      ) : (
        <Tabs
          value={shown.context}
          keepMounted={false}
          onChange={(context) => setShown({ context: context ?? PERSONAL, failed })}
        >
          <Tabs.List mb="sm" aria-label={t('key_form.contexts')}>
            {contexts.map((context) => (
              <Tabs.Tab key={context} value={context}>
                <bdi>{nameOf(context)}</bdi>{' '}
                {(form.values.grants[context]?.length ?? 0) > 0 &&
                  `(${form.values.grants[context]?.length})`}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {contexts.map((context) => (
            <Tabs.Panel key={context} value={context}>
              <Grant
                form={form}
                context={context}
                organization={organizations.find(({ id }) => id === context) ?? null}
              />
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
      <Text size="xs" c="dimmed">
        {t('key_form.never_grantable')}
      </Text>
    </Stack>
  );
}

const NONE: readonly string[] = [];

/** The permissions in one context; `organization` is null for the account, and for one that was left. */
function Grant({
  form,
  context,
  organization,
}: {
  form: Form;
  context: string;
  organization: Organization | null;
}) {
  const { t } = useTranslation();
  const { clearFieldError, setFieldValue } = form;
  const held = useMemo(() => (organization === null ? null : heldIn(organization)), [organization]);
  const choose = useCallback(
    (permissions: string[]) => {
      clearFieldError(grantField(context));
      setFieldValue('grants', (grants) => withGrant(grants, context, permissions));
    },
    [clearFieldError, setFieldValue, context],
  );
  // A saved key that has one of them can still lose it.
  const [given] = useState(() => new Set(form.values.grants[context]));
  const nameOf = useCallback(
    ({ grant }: Permission) =>
      grant !== null && UNUSABLE.has(grant) && !given.has(grant) ? null : grant,
    [given],
  );
  return (
    <Stack gap="sm" data-path={grantField(context)} tabIndex={-1}>
      <Group gap="xs" role="group" aria-label={t('key_form.preset')}>
        {presets.map((preset) => (
          <Button
            key={preset}
            size="compact-xs"
            variant="default"
            onClick={() => choose(presetPermissions(preset, context, held))}
          >
            {t(`key_form.preset_${preset}`)}
          </Button>
        ))}
      </Group>
      <PermissionTables
        context={context === PERSONAL ? 'personal' : 'organization'}
        held={held ?? undefined}
        nameOf={nameOf}
        value={form.values.grants[context] ?? NONE}
        error={form.errors[grantField(context)]}
        onChange={choose}
      />
    </Stack>
  );
}

/** Who manages every team holds all permissions in teams. */
const heldIn = ({ membership: { permissions } }: Organization): Set<string> =>
  new Set<string>([
    ...permissions,
    ...((permissions as readonly string[]).includes(everyTeamGrant)
      ? teamPermissions.flatMap(({ grant }) => grant ?? [])
      : []),
  ]);
