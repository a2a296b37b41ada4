import { Alert } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { KeyForm } from './key-form.tsx';
import { editOf, keyFieldOf, valuesOf } from './key-values.ts';
import { editPreviewQuery, keyPreviewQuery, keyQuery, updateKey } from './keys.ts';
import type { Key } from './key-values.ts';
import { useOwner } from '../organizations/use-owner.ts';
import { LeaveGuard } from '../parts/leave-guard.tsx';
import { isComplete, PREVIEW_MS, previewState, usePolicyMessages } from './policy-messages.ts';
import { useServerForm } from '../parts/use-server-form.ts';

/** Changes a saved key; the preview shows what it gains and loses before it is saved. */
export function EditKey({ record }: { record: Key }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const owner = useOwner();
  const path = `${owner.keys}/${record.id}`;
  const [status, setStatus] = useState<string | null>(null);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: valuesOf(record),
    validate: usePolicyMessages(),
    fieldOf: keyFieldOf,
    async send(values) {
      const edit = editOf(record, values);
      return Object.keys(edit).length === 0 ? null : updateKey(path, edit);
    },
    async onSuccess(saved) {
      setStatus(t(saved === null ? 'key_form.unchanged' : 'key_form.saved'));
      if (saved === null) return;
      // The service stores names in their normal form.
      form.setValues(valuesOf(saved));
      queries.setQueryData(keyQuery(path).queryKey, saved);
      await queries.invalidateQueries();
    },
    onError: () => setStatus(null),
  });
  const [draft] = useDebouncedValue(form.values, PREVIEW_MS);
  const edit = editOf(record, draft);
  const isChanged = Object.keys(edit).length > 0;
  const current = useQuery({ ...keyPreviewQuery(path), enabled: !isChanged });
  const edited = useQuery({
    ...editPreviewQuery(path, edit),
    enabled: isChanged && isComplete(draft),
    placeholderData: keepPreviousData,
  });
  const preview = isChanged ? { ...edited, data: edited.data ?? current.data } : current;
  return (
    <>
      <LeaveGuard isDirty={() => Object.keys(editOf(record, form.getValues())).length > 0} />
      <KeyForm
        form={form}
        onSubmit={(event) => {
          setStatus(null);
          submit(event);
        }}
        error={error}
        isPending={isPending}
        action={t('key_form.save')}
        title={t(isChanged ? 'key_form.edit_preview' : 'key_form.current_preview')}
        preview={{ ...preview, state: previewState(form.values, draft, preview) }}
        body={{ request: `PATCH ${path}`, value: editOf(record, form.values) }}
        storedTeams={'teams' in record ? record.teams : []}
        status={<SaveStatus text={isChanged ? null : status} />}
      />
    </>
  );
}

/** Says that a saved key is unchanged, or was saved. */
function SaveStatus({ text }: { text: string | null }) {
  return <div role="status">{text !== null && <Alert variant="light">{text}</Alert>}</div>;
}
