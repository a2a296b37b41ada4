import { Alert, Button, Stack, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectionRecord } from '../../oauth/connections/schema.ts';
import { useOwner } from '../organizations/use-owner.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { restrictionsOf, restrictionValuesOf } from '../parts/restrictions.ts';
import { RestrictionsField } from '../parts/restrictions-field.tsx';
import { useServerForm } from '../parts/use-server-form.ts';
import { restrictConnection } from './connections.ts';

/** From where and when a connection works. */
export function RestrictionsForm({
  connection,
  path,
}: {
  connection: ConnectionRecord;
  path: string;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const mayChange = useOwner().lacks('update', 'oauth_clients') === null;
  const [isSaved, setSaved] = useState(false);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: restrictionValuesOf(connection),
    send: (values) => restrictConnection(path, restrictionsOf(values)),
    async onSuccess() {
      setSaved(true);
      await queries.invalidateQueries();
    },
    onError: () => setSaved(false),
  });
  return (
    <section aria-labelledby="restrictions">
      <Title order={2} id="restrictions" mb="sm">
        {t('restrictions.title')}
      </Title>
      <form onSubmit={submit}>
        <fieldset className="plain" disabled={!mayChange}>
          <Stack gap="sm" maw={480}>
            {error !== null && <ErrorAlert error={error} />}
            <RestrictionsField
              value={form.values}
              errors={form.errors}
              onChange={(next) => form.setValues(next)}
            />
            {mayChange && (
              <Button type="submit" loading={isPending} style={{ alignSelf: 'start' }}>
                {t('form.save')}
              </Button>
            )}
            <div role="status">
              {isSaved && <Alert variant="light">{t('key_form.saved')}</Alert>}
            </div>
          </Stack>
        </fieldset>
      </form>
    </section>
  );
}
