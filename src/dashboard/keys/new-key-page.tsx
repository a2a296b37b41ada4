import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { everyTeamGrant } from '../../authz/permissions.ts';
import { KeyForm } from './key-form.tsx';
import { newKeySearchOf } from './key-search.ts';
import {
  draftOf,
  emptyValues,
  keyFieldOf,
  organizationDraftOf,
  PERSONAL,
  presetPermissions,
  UNAVAILABLE,
  valuesOf,
} from './key-values.ts';
import type { KeyValues } from './key-values.ts';
import { createKey, draftPreviewQuery, keyQuery } from './keys.ts';
import type { Key } from './key-values.ts';
import { NeedsPermission, Problem } from '../organizations/parts/problem.tsx';
import { useOwner } from '../organizations/use-owner.ts';
import type { Owner } from '../organizations/use-owner.ts';
import { Loading } from '../parts/loading.tsx';
import { Page } from '../parts/page.tsx';
import { isComplete, PREVIEW_MS, previewState, usePolicyMessages } from './policy-messages.ts';
import { RunsInField } from './runs-in-field.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { useIdempotencyKey } from '../parts/use-idempotency-key.ts';
import { useServerForm } from '../parts/use-server-form.ts';

/** Creates a key; `?from=` fills the form from another key, `?preset=` its permissions. */
export function NewKeyPage() {
  const { t } = useTranslation();
  const owner = useOwner();
  const { from, preset } = newKeySearchOf(useSearch({ strict: false }));
  const original = useQuery({
    ...keyQuery(`${owner.keys}/${from}`),
    enabled: from !== undefined,
  });
  const lacking = owner.lacks('create', 'api_keys');
  const empty = {
    ...emptyIn(owner, t('new_key.default_name')),
    ...(preset === undefined || owner.organization !== null
      ? {}
      : { grants: { [PERSONAL]: presetPermissions(preset) } }),
  };
  return (
    <Page
      title={t(owner.organization === null ? 'new_key.title' : 'org_keys.create')}
      parents={[{ to: `${owner.pages}/keys`, label: t('keys.title') }]}
    >
      {lacking !== null && <NeedsPermission permission={lacking} />}
      {original.isError && (
        <Problem error={original.error} onRetry={() => void original.refetch()} />
      )}
      {from !== undefined && original.isPending && <Loading height={320} />}
      {lacking === null && from === undefined && <NewKey initialValues={empty} />}
      {lacking === null && original.data !== undefined && (
        <NewKey
          initialValues={copyOf(original.data, t('new_key.copy_of', { name: original.data.name }))}
        />
      )}
    </Page>
  );
}

/** Following all teams of an organization, later ones too, requires to manage every team. */
function emptyIn({ organization }: Owner, name: string): KeyValues {
  if (organization === null) return emptyValues(name);
  const held: readonly string[] = organization.membership.permissions;
  return {
    ...emptyValues(name),
    org_scope: organization.id,
    team_ids: held.includes(everyTeamGrant) ? null : [],
  };
}

/** A copy has a name of its own, and does not expire. */
function copyOf(key: Key, name: string): KeyValues {
  const values = valuesOf(key);
  const { default_agent_id } = values;
  return {
    ...values,
    name: name.slice(0, 100),
    expires_at: null,
    default_agent_id: default_agent_id === UNAVAILABLE ? null : default_agent_id,
  };
}

function NewKey({ initialValues }: { initialValues: KeyValues }) {
  const { t } = useTranslation();
  const { organization, keys, pages } = useOwner();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const idempotencyKey = useIdempotencyKey();
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null);
  const bodyOf = organization === null ? draftOf : organizationDraftOf;
  const { form, submit, isPending, error } = useServerForm({
    initialValues,
    validate: usePolicyMessages(),
    fieldOf: keyFieldOf,
    async send(values) {
      // A preview that ends after the draft has become a key would find the name of the key taken.
      await queries.cancelQueries({ queryKey: ['draft-preview'] });
      const body = bodyOf(values);
      return createKey(keys, body, idempotencyKey(body));
    },
    async onSuccess({ id, secret }) {
      setCreated({ id, secret });
      // The draft has become the key, whose name it could not have a second time.
      await queries.invalidateQueries({
        predicate: ({ queryKey: [kind] }) => kind !== 'draft-preview',
      });
    },
  });
  const [draft] = useDebouncedValue(form.values, PREVIEW_MS);
  const preview = useQuery({
    ...draftPreviewQuery(keys, bodyOf(draft)),
    enabled: isComplete(draft) && !isPending && created === null,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <KeyForm
        form={form}
        onSubmit={submit}
        error={error}
        isPending={isPending}
        action={t('new_key.action')}
        title={t('new_key.preview')}
        preview={{ ...preview, state: previewState(form.values, draft, preview) }}
        body={{ request: `POST ${keys}`, value: bodyOf(form.values) }}
        runsIn={organization === null && <RunsInField form={form} />}
      />
      {created !== null && (
        <SecretDialog
          title={t('new_key.secret_title')}
          body={t('new_key.secret_body')}
          label={t('new_key.secret_label')}
          secret={created.secret}
          action={t('new_key.continue')}
          onDone={() =>
            void (organization === null
              ? navigate({ to: '/app/connect', search: { key: created.id } })
              : navigate({ to: `${pages}/keys/${created.id}`, search: { tab: 'connect' } }))
          }
        />
      )}
    </>
  );
}
