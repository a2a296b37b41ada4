import {
  Button,
  Group,
  Modal,
  PasswordInput,
  Radio,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ConnectionRecord } from '../../../sso/connections/schema.ts';
import { withReauthentication } from '../../api/reauthentication.ts';
import { request } from '../../api/request.ts';
import { useServerForm } from '../../parts/use-server-form.ts';
import { pathOf } from '../organizations.ts';
import { Problem } from '../parts/problem.tsx';
import { RolesField } from '../parts/roles-field.tsx';
import { SeatsField } from '../parts/seats-field.tsx';
import { useOrganization } from '../use-organization.ts';
import {
  ATTRIBUTES,
  connectionDraftOf,
  connectionEditOf,
  valuesOfConnection,
} from './connection-values.ts';
import type { ConnectionValues } from './connection-values.ts';

type Form = UseFormReturnType<ConnectionValues>;

/** Adds an identity provider, by OpenID Connect or SAML, or changes a saved one. */
export function ConnectionDialog({
  saved,
  onClose,
}: {
  saved: ConnectionRecord | null;
  onClose(): void;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const path = pathOf(id, '/sso/connections');
  const { form, submit, isPending, error } = useServerForm({
    initialValues: valuesOfConnection(saved),
    fieldOf: connectionFieldOf,
    async send(values) {
      if (saved === null) return send(path, 'POST', connectionDraftOf(values));
      const edit = connectionEditOf(saved, values);
      return Object.keys(edit).length === 0 ? saved : send(`${path}/${saved.id}`, 'PATCH', edit);
    },
    async onSuccess() {
      onClose();
      await queries.invalidateQueries();
    },
  });
  const title = saved === null ? t('sso.add_connection') : t('sso.edit_of', { name: saved.name });
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <form onSubmit={submit}>
        <Stack>
          {error !== null && <Problem error={error} />}
          {saved === null && (
            <Radio.Group label={t('sso.protocol')} {...form.getInputProps('protocol')}>
              <Group mt="xs">
                <Radio value="oidc" label={t('sso.oidc')} />
                <Radio value="saml" label={t('sso.saml')} />
              </Group>
            </Radio.Group>
          )}
          <TextInput
            label={t('form.name')}
            required
            maxLength={100}
            data-autofocus
            {...form.getInputProps('name')}
          />
          {form.values.protocol === 'oidc' ? (
            <OidcFields form={form} isNew={saved === null} />
          ) : (
            <SamlField form={form} isNew={saved === null} />
          )}
          <AttributeFields form={form} />
          <Joining form={form} />
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {t('form.cancel')}
            </Button>
            <Button type="submit" loading={isPending}>
              {t(saved === null ? 'sso.add_connection' : 'form.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const send = (path: string, method: 'POST' | 'PATCH', body: object) =>
  withReauthentication((proof) =>
    request<ConnectionRecord>(path, { method, body: { ...body, ...proof } }),
  );

/** The fields of a provider are below its protocol; those of lists are one field. */
function connectionFieldOf(pointer: readonly string[], values: ConnectionValues): string | null {
  const [first = '', second = ''] = pointer;
  const field = ['oidc', 'saml', 'attributes'].includes(first) ? second : first;
  return Object.hasOwn(values, field) ? field : null;
}

function OidcFields({ form, isNew }: { form: Form; isNew: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput label={t('sso.issuer')} required dir="ltr" {...form.getInputProps('issuer')} />
      <TextInput
        label={t('sso.client_id')}
        required
        dir="ltr"
        autoComplete="off"
        {...form.getInputProps('client_id')}
      />
      <PasswordInput
        label={t('sso.client_secret')}
        description={isNew ? undefined : t('sso.keep_hint')}
        required={isNew}
        autoComplete="off"
        {...form.getInputProps('client_secret')}
      />
    </>
  );
}

function SamlField({ form, isNew }: { form: Form; isNew: boolean }) {
  const { t } = useTranslation();
  return (
    <Textarea
      label={t('sso.metadata')}
      description={t(isNew ? 'sso.metadata_hint' : 'sso.keep_hint')}
      required={isNew}
      autosize
      minRows={6}
      maxRows={16}
      dir="ltr"
      {...form.getInputProps('metadata')}
    />
  );
}

/** Some providers name the address and the names of a person in their own way. */
function AttributeFields({ form }: { form: Form }) {
  const { t } = useTranslation();
  return (
    <fieldset className="plain">
      <legend>
        <Text size="sm" fw={600}>
          {t('sso.attributes')}
        </Text>
        <Text size="xs" c="dimmed">
          {t('sso.attributes_hint')}
        </Text>
      </legend>
      <Group grow mt="xs">
        {ATTRIBUTES.map((name) => (
          <TextInput
            key={name}
            label={t(`form.${name}`)}
            dir="ltr"
            maxLength={255}
            {...form.getInputProps(name)}
          />
        ))}
      </Group>
    </fieldset>
  );
}

/** Roles and teams of people who join the organization through the provider. */
function Joining({ form }: { form: Form }) {
  const { t } = useTranslation();
  const { may } = useOrganization();
  return (
    <Stack gap="sm">
      <Title order={3}>{t('sso.joining')}</Title>
      {may('can_view_organization_roles') ? (
        <RolesField label={t('members.roles')} {...form.getInputProps('role_ids')} />
      ) : (
        <Text size="sm">{t('invitations.as_member')}</Text>
      )}
      <SeatsField {...form.getInputProps('teams')} />
    </Stack>
  );
}
