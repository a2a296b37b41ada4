import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { KeyForm } from './key-form.tsx';
import { contextOf, draftOf, emptyValues, presetPermissions, valuesOf } from './key-values.ts';
import { ownContext, UNAVAILABLE } from './key-values.ts';
import type { KeyContext, KeyValues } from './key-values.ts';
import { createKey, draftPreviewQuery, keyQuery } from './keys.ts';
import type { Key } from './keys.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Page } from '../parts/page.tsx';
import { isComplete, PREVIEW_MS, usePolicyMessages } from './policy-messages.ts';
import { RunsInField } from './runs-in-field.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { useServerForm } from '../parts/use-server-form.ts';
import { Loading } from '../parts/loading.tsx';

const route = getRouteApi('/app/keys/new');

/** Creates a key; `?from=` fills the form from another key, `?preset=` its permissions. */
export function NewKeyPage() {
  const { t } = useTranslation();
  const { from, preset } = route.useSearch();
  const original = useQuery({ ...keyQuery(from ?? ''), enabled: from !== undefined });
  const empty = {
    ...emptyValues(t('new_key.default_name')),
    ...(preset === undefined ? {} : { permissions: presetPermissions(preset) }),
  };
  return (
    <Page title={t('new_key.title')}>
      {original.isError && (
        <ErrorAlert error={original.error} onRetry={() => void original.refetch()} />
      )}
      {from !== undefined && original.isPending && <Loading height={320} />}
      {from === undefined && <NewKey initialValues={empty} initialContext={ownContext} />}
      {original.data !== undefined && (
        <NewKey
          initialValues={copyOf(original.data, t('new_key.copy_of', { name: original.data.name }))}
          initialContext={contextOf(original.data)}
        />
      )}
    </Page>
  );
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

function NewKey({
  initialValues,
  initialContext,
}: {
  initialValues: KeyValues;
  initialContext: KeyContext;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [context, setContext] = useState(initialContext);
  const idempotencyKey = useRef(crypto.randomUUID());
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null);
  const { form, submit, isPending, error } = useServerForm({
    initialValues,
    validate: usePolicyMessages(context),
    send: (values) => createKey(draftOf(values, context), idempotencyKey.current),
    async onSuccess({ id, secret }) {
      setCreated({ id, secret });
      await queries.invalidateQueries();
    },
    onError: () => void (idempotencyKey.current = crypto.randomUUID()),
  });
  const [draft] = useDebouncedValue(form.values, PREVIEW_MS);
  const preview = useQuery({
    ...draftPreviewQuery(draftOf(draft, context)),
    enabled: isComplete(draft, context),
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
        preview={preview}
        body={{ request: 'POST /api/keys', value: draftOf(form.values, context) }}
        context={context}
        runsIn={<RunsInField context={context} onChange={setContext} />}
      />
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
    </>
  );
}
