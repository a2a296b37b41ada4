import { Button, Checkbox, SimpleGrid, Stack, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { capabilities } from '../../authz/permissions.ts';
import { createKey, draftPreviewQuery } from './keys.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Page } from '../parts/page.tsx';
import { Preview } from './preview.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { useServerForm } from '../parts/use-server-form.ts';

const PREVIEW_MS = 200;

/** Creates a key, with a preview of what it will see. */
export function NewKeyPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const idempotencyKey = useRef(crypto.randomUUID());
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { name: t('new_key.default_name'), mcp_capabilities: [...capabilities] },
    send: (values) => createKey(values, idempotencyKey.current),
    async onSuccess({ id, secret }) {
      setCreated({ id, secret });
      await queries.invalidateQueries();
    },
    onError: () => void (idempotencyKey.current = crypto.randomUUID()),
  });
  const [draft] = useDebouncedValue(form.values, PREVIEW_MS);
  const preview = useQuery({
    ...draftPreviewQuery(draft),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t('new_key.title')}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <form onSubmit={submit}>
          <Stack>
            {error !== null && <ErrorAlert error={error} />}
            <TextInput
              label={t('form.name')}
              description={t('new_key.name_hint')}
              required
              maxLength={100}
              data-autofocus
              {...form.getInputProps('name')}
            />
            <Checkbox.Group
              label={t('new_key.capabilities')}
              {...form.getInputProps('mcp_capabilities')}
            >
              <Stack gap="xs" mt="xs">
                {capabilities.map((capability) => (
                  <Checkbox
                    key={capability}
                    value={capability}
                    label={t(`capability.${capability}`)}
                    description={t(`capability.${capability}_hint`)}
                  />
                ))}
              </Stack>
            </Checkbox.Group>
            <Button type="submit" loading={isPending}>
              {t('new_key.action')}
            </Button>
          </Stack>
        </form>
        <section aria-labelledby="preview">
          <Title order={2} id="preview" mb="sm">
            {t('new_key.preview')}
          </Title>
          <Preview preview={preview.data} error={preview.error} isPending={preview.isPending} />
        </section>
      </SimpleGrid>
      {created !== null && (
        <SecretDialog
          title={t('new_key.secret_title')}
          body={t('new_key.secret_body')}
          label={t('new_key.secret_label')}
          secret={created.secret}
          action={t('new_key.continue')}
          onDone={() => void navigate({ to: '/app/connect', search: { key: created.id } })}
        />
      )}
    </Page>
  );
}
