import { Title, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { capabilities, everyTeamGrant } from '../../../authz/permissions.ts';
import type { KeyPreview } from '../../../keys/schema.ts';
import { request } from '../../api/request.ts';
import { Preview } from '../../keys/preview.tsx';
import { Page } from '../../parts/page.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { pathOf } from '../organizations.ts';
import { NeedsPermission } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import { KeyForm } from './key-form.tsx';
import { draftOf } from './organization-keys.ts';
import type { KeyFields, OrganizationKey } from './organization-keys.ts';

const PREVIEW_MS = 300;
const NEEDED = 'can_create_organization_api_keys';

export function NewOrganizationKeyPage() {
  const { t } = useTranslation();
  const { may } = useOrganization();
  return (
    <Page title={t('org_keys.create')}>
      {may(NEEDED) ? <NewKey /> : <NeedsPermission permission={NEEDED} />}
    </Page>
  );
}

/** Creates a key of the organization, with a preview of what it will see. */
function NewKey() {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [now] = useState(() => Date.now());
  const idempotencyKey = useRef(crypto.randomUUID());
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null);
  const { form, submit, isPending, error } = useServerForm<
    KeyFields,
    OrganizationKey & { secret: string }
  >({
    initialValues: {
      name: '',
      mcp_capabilities: [...capabilities],
      grants: [],
      // Following all teams, later ones too, requires to manage every team.
      follows: may(everyTeamGrant) ? 'all' : 'some',
      team_ids: [],
      days: '90',
    },
    send: (fields) =>
      request(pathOf(id, '/keys'), {
        body: draftOf(id, fields, now),
        headers: { 'idempotency-key': idempotencyKey.current },
      }),
    async onSuccess({ id: key_id, secret }) {
      setCreated({ id: key_id, secret });
      await queries.invalidateQueries();
    },
    onError: () => void (idempotencyKey.current = crypto.randomUUID()),
  });
  // The name changes nothing of what the key sees.
  const [draft] = useDebouncedValue(
    draftOf(id, { ...form.values, name: t('org_keys.key') }, now),
    PREVIEW_MS,
  );
  const preview = useQuery({
    queryKey: ['organization-key-draft', id, draft],
    queryFn: ({ signal }) =>
      request<KeyPreview>(pathOf(id, '/keys/preview'), { body: draft, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return (
    <Stack gap="xl">
      <KeyForm {...{ form, submit, isPending, error }} />
      <section aria-labelledby="preview">
        <Title order={2} id="preview" mb="sm">
          {t('new_key.preview')}
        </Title>
        <Preview preview={preview.data} error={preview.error} isPending={preview.isPending} />
      </section>
      {created !== null && (
        <SecretDialog
          title={t('new_key.secret_title')}
          body={t('new_key.secret_body')}
          label={t('new_key.secret_label')}
          secret={created.secret}
          action={t('form.done')}
          onDone={() =>
            void navigate({
              to: '/app/org/$organizationId/keys/$keyId',
              params: { organizationId: id, keyId: created.id },
            })
          }
        />
      )}
    </Stack>
  );
}
