import { Button, Checkbox, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import { Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { FormEventHandler, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { capabilities, scopeOfCapability } from '../../authz/permissions.ts';
import type { Permission } from '../../authz/permissions.ts';
import { ACTORS, actsAlone, signsIn } from './client-values.ts';
import type { ClientValues } from './client-values.ts';
import { Problem } from '../organizations/parts/problem.tsx';
import { TeamsField } from '../organizations/parts/teams-field.tsx';
import { useOwner } from '../organizations/use-owner.ts';
import { PermissionTables } from '../parts/permission-tables.tsx';
import { SaveBar } from '../parts/save-bar.tsx';

type Form = UseFormReturnType<ClientValues>;

/** The form of a new or saved OAuth client of a person or an organization. */
export function ClientForm({
  form,
  onSubmit,
  error,
  isPending,
  action,
  isNew,
  storedTeams = [],
  isReadOnly = false,
  status,
}: {
  form: Form;
  onSubmit: FormEventHandler<HTMLFormElement>;
  error: unknown;
  isPending: boolean;
  action: string;
  isNew: boolean;
  /** The teams of a saved client. */
  storedTeams?: readonly { id: string; name: string }[];
  isReadOnly?: boolean;
  status?: ReactNode;
}) {
  const { t } = useTranslation();
  const { organization } = useOwner();
  return (
    <form onSubmit={onSubmit}>
      <fieldset className="plain" disabled={isReadOnly}>
        <Stack maw={640} gap="lg">
          {error !== null && <Problem error={error} />}
          <TextInput
            label={t('form.name')}
            description={t('client.name_hint')}
            required
            maxLength={100}
            {...form.getInputProps('name')}
          />
          {isNew && <TypeField form={form} />}
          {organization !== null && form.values.type === 'confidential' && (
            <ActorsField form={form} />
          )}
          {signsIn(form.values) && <SignInFields form={form} />}
          {organization !== null && (
            <TeamsField
              organizationId={organization.id}
              actsForPerson={!actsAlone(form.values)}
              stored={storedTeams}
              {...form.getInputProps('team_ids')}
              value={form.values.team_ids}
              error={form.errors['team_ids']}
            />
          )}
          <Scopes form={form} />
          {status}
          {!isReadOnly && (
            <SaveBar errors={form.errors}>
              <Button type="submit" loading={isPending}>
                {action}
              </Button>
            </SaveBar>
          )}
        </Stack>
      </fieldset>
    </form>
  );
}

function TypeField({ form }: { form: Form }) {
  const { t } = useTranslation();
  return (
    <Radio.Group label={t('client.type')} {...form.getInputProps('type')}>
      <Stack gap="xs" mt="xs">
        {(['public', 'confidential'] as const).map((type) => (
          <Radio
            key={type}
            value={type}
            label={t(`client.${type}`)}
            description={t(`client.${type}_hint`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** An organization's client can act for people who sign in, for the organization, or for both. */
function ActorsField({ form }: { form: Form }) {
  const { t } = useTranslation();
  return (
    <Checkbox.Group label={t('client.acts_for')} {...form.getInputProps('grant_types')}>
      <Stack gap="xs" mt="xs">
        {ACTORS.map((actor) => (
          <Checkbox
            key={actor}
            value={actor}
            label={t(`client.${actor}`)}
            description={t(`client.${actor}_hint`)}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

function SignInFields({ form }: { form: Form }) {
  const { t } = useTranslation();
  return (
    <>
      <Textarea
        label={t('client.redirect_uris')}
        description={t('client.redirect_uris_hint')}
        required
        autosize
        minRows={2}
        dir="ltr"
        spellCheck={false}
        {...form.getInputProps('redirect_uris')}
      />
      <Checkbox
        label={t('client.refreshes')}
        description={t('client.refreshes_hint')}
        {...form.getInputProps('refreshes', { type: 'checkbox' })}
      />
      {form.values.type === 'confidential' && (
        <Checkbox
          label={t('client.require_pkce')}
          description={t('client.require_pkce_hint')}
          {...form.getInputProps('require_pkce', { type: 'checkbox' })}
        />
      )}
    </>
  );
}

const scopeOf = ({ scope }: Permission) => scope;

/** The most that a connection can have: use over MCP, and apart from it managing the account. */
function Scopes({ form }: { form: Form }) {
  const { t } = useTranslation();
  const { organization } = useOwner();
  const { allowed_scopes: scopes } = form.values;
  const choose = (allowed_scopes: string[]) => form.setFieldValue('allowed_scopes', allowed_scopes);
  const error = form.errors['allowed_scopes'];
  return (
    <Stack gap="sm">
      <Checkbox.Group
        label={t('client.use')}
        description={t('client.use_hint')}
        value={scopes}
        onChange={choose}
        error={error}
        data-path="allowed_scopes"
        tabIndex={-1}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
          {capabilities.map((capability) => (
            <Checkbox
              key={capability}
              value={scopeOfCapability(capability)}
              label={t(`capability.${capability}`)}
              description={t(`capability.${capability}_hint`)}
            />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <div>
        <Text size="sm" fw={600}>
          {t('client.manage')}
        </Text>
        <Text size="xs" c="dimmed" mb="xs">
          {t('client.manage_hint')} {organization !== null && t('client.no_audit')}
        </Text>
        <PermissionTables
          context={organization === null ? 'personal' : 'organization'}
          nameOf={scopeOf}
          value={scopes}
          onChange={choose}
        />
      </div>
    </Stack>
  );
}
