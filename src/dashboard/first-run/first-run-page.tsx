import { Alert, Button, Loader, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { UseMutationResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { actFor, RequestError } from '../api/request.ts';
import { forgetAccount } from '../api/session.ts';
import { sessionEnd } from '../api/session-end.ts';
import { MissingDashboard } from '../frame/failed-page.tsx';
import { Outside } from '../frame/outside.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { demoStateQuery, loadDemo, readToken, removeDemo } from './first-run.ts';
import { LoadedDemoView } from './loaded-demo.tsx';

/** The first page of a new service: an account, or a demo to look at; later, the demo's removal. */
export function FirstRunPage() {
  const { t } = useTranslation();
  const [token] = useState(readToken);
  const queries = useQueryClient();
  const state = useQuery(demoStateQuery);
  const load = useMutation({
    mutationFn: loadDemo,
    // Passwords are kept for as long as this page is open, and nowhere else.
    gcTime: 0,
    onSuccess() {
      forgetAccount(queries);
      sessionEnd.restored();
    },
  });
  const remove = useMutation({
    mutationFn: removeDemo,
    onSuccess() {
      actFor(null);
      return queries.resetQueries();
    },
  });
  if (load.isSuccess)
    return (
      <Outside title={t('first_run.loaded')}>
        <LoadedDemoView loaded={load.data} />
      </Outside>
    );
  // Only a local start has a first run.
  if (state.error instanceof RequestError && state.error.status === 404)
    return <MissingDashboard />;
  if (state.isError)
    return (
      <Outside title={t('first_run.title')}>
        <Stack>
          <ErrorAlert error={state.error} onRetry={() => void state.refetch()} />
          <ToSignIn />
        </Stack>
      </Outside>
    );
  if (state.data === undefined)
    return (
      <Outside title={t('first_run.title')}>
        <Loader role="status" aria-label={t('frame.loading')} />
      </Outside>
    );
  if (state.data.loaded) return <DemoHere removable={state.data.removable} remove={remove} />;
  if (!state.data.fresh)
    return (
      <Outside title={t('first_run.title')}>
        <Stack>
          <Text size="sm">{t('first_run.used')}</Text>
          <ToSignIn />
        </Stack>
      </Outside>
    );
  return (
    <Outside title={t('first_run.title')}>
      <Stack>
        {remove.isSuccess && <Alert role="status">{t('first_run.removed')}</Alert>}
        <Text size="sm">{t('first_run.account_body')}</Text>
        <Button renderRoot={(props) => <Link to="/sign-up" {...props} />}>
          {t('first_run.account')}
        </Button>
        <Text size="sm">{t(token === null ? 'first_run.no_token' : 'first_run.demo_body')}</Text>
        {load.isError && <ErrorAlert error={load.error} />}
        {token !== null && (
          <Button variant="default" loading={load.isPending} onClick={() => load.mutate(token)}>
            {t('first_run.demo')}
          </Button>
        )}
        {load.isPending && (
          <Text size="sm" role="status">
            {t('first_run.loading')}
          </Text>
        )}
      </Stack>
    </Outside>
  );
}

/** The demo is loaded: someone who is signed in as one of its people can remove it. */
function DemoHere({
  removable,
  remove,
}: {
  removable: boolean;
  remove: Pick<UseMutationResult<undefined, Error, void>, 'error' | 'isPending' | 'mutate'>;
}) {
  const { t } = useTranslation();
  return (
    <Outside title={t('first_run.demo_here')}>
      <Stack>
        <Text size="sm">{t(removable ? 'first_run.remove_body' : 'first_run.remove_hint')}</Text>
        {remove.error !== null && <ErrorAlert error={remove.error} />}
        {removable ? (
          <>
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
              {t('first_run.remove')}
            </Button>
            <Button variant="default" renderRoot={(props) => <Link to="/app" {...props} />}>
              {t('errors.to_overview')}
            </Button>
          </>
        ) : (
          <ToSignIn />
        )}
      </Stack>
    </Outside>
  );
}

function ToSignIn() {
  const { t } = useTranslation();
  return (
    <Button variant="default" renderRoot={(props) => <Link to="/sign-in" {...props} />}>
      {t('sign_in.title')}
    </Button>
  );
}
