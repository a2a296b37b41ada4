import {
  Button,
  Group,
  Modal,
  PasswordInput,
  Radio,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ConnectionRecord } from '../../../sso/connections/schema.ts';
import { withReauthentication } from '../../api/reauthentication.ts';
import { request } from '../../api/request.ts';
import { useServerForm } from '../../parts/use-server-form.ts';
import { pathOf } from '../organizations.ts';
import { Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';

const FIELDS = ['name', 'issuer', 'client_id', 'client_secret', 'metadata'] as const;

/** Adds an identity provider, by OpenID Connect or SAML. */
export function NewConnection({ onClose }: { onClose(): void }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: {
      protocol: 'oidc',
      name: '',
      issuer: '',
      client_id: '',
      client_secret: '',
      metadata: '',
    },
    // The fields of a provider are below its protocol.
    fieldOf: (pointer) => FIELDS.find((field) => field === pointer.at(-1)) ?? null,
    send: ({ protocol, name, metadata, ...oidc }) =>
      withReauthentication((proof) =>
        request<ConnectionRecord>(pathOf(id, '/sso/connections'), {
          body: {
            ...{ protocol, name },
            ...(protocol === 'oidc' ? { oidc } : { saml: { metadata } }),
            ...proof,
          },
        }),
      ),
    async onSuccess() {
      onClose();
      await queries.invalidateQueries();
    },
  });
  const { protocol } = form.values;
  return (
    <Modal opened onClose={onClose} title={t('sso.add_connection')} size="lg">
      <form onSubmit={submit}>
        <Stack>
          {error !== null && <Problem error={error} />}
          <Radio.Group label={t('sso.protocol')} {...form.getInputProps('protocol')}>
            <Group mt="xs">
              <Radio value="oidc" label={t('sso.oidc')} />
              <Radio value="saml" label={t('sso.saml')} />
            </Group>
          </Radio.Group>
          <TextInput
            label={t('form.name')}
            required
            maxLength={100}
            data-autofocus
            {...form.getInputProps('name')}
          />
          {protocol === 'oidc' ? (
            <>
              <TextInput
                label={t('sso.issuer')}
                required
                dir="ltr"
                {...form.getInputProps('issuer')}
              />
              <TextInput
                label={t('sso.client_id')}
                required
                dir="ltr"
                autoComplete="off"
                {...form.getInputProps('client_id')}
              />
              <PasswordInput
                label={t('sso.client_secret')}
                required
                autoComplete="off"
                {...form.getInputProps('client_secret')}
              />
            </>
          ) : (
            <Textarea
              label={t('sso.metadata')}
              description={t('sso.metadata_hint')}
              required
              autosize
              minRows={6}
              maxRows={16}
              dir="ltr"
              {...form.getInputProps('metadata')}
            />
          )}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {t('form.cancel')}
            </Button>
            <Button type="submit" loading={isPending}>
              {t('sso.add_connection')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
