import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RequestError } from '../api/request.ts';
import { profileQuery } from '../api/session.ts';
import { organizationsQuery } from '../organizations/organizations.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { connectInWindow, NotAllowed, WindowBlocked } from './decision-window.ts';
import { tryConnection } from './try-connection.ts';

/** The value of a choice for the person's own account. */
const OWN = 'own';

/** Says what calls from this page are, and asks the person to allow them. */
export function Start({
  organization,
  onChoose,
}: {
  organization: string | null;
  /** Null: the person's own account. */
  onChoose(organization: string | null): void;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data: organizations = [] } = useQuery(organizationsQuery);
  const [place, setPlace] = useState(organization);
  const asked = useRef<AbortController | null>(null);
  const start = useMutation({
    mutationFn: () => {
      asked.current = new AbortController();
      return connectInWindow(place, asked.current.signal);
    },
    async onSuccess(connection) {
      tryConnection.opened(connection);
      // In the other window, the person may have signed in with another account.
      const isOther = queries.getQueryData(profileQuery.queryKey)?.id !== connection.account_id;
      await queries.invalidateQueries(isOther ? {} : { queryKey: ['connections'] });
    },
  });
  useEffect(() => () => asked.current?.abort(), []);
  const known = organizations.some(({ id }) => id === place) ? place : null;
  return (
    <Stack className="card empty" align="start">
      <Alert role="note" color="yellow" icon={<IconAlertTriangle aria-hidden />}>
        {t('try.real')}
      </Alert>
      {organizations.length > 0 && (
        <Select
          label={t('connection.works_in')}
          data={[
            { value: OWN, label: t('connection.own_account') },
            ...organizations.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={known ?? OWN}
          allowDeselect={false}
          disabled={start.isPending}
          w="100%"
          maw={420}
          onChange={(chosen) => {
            const next = chosen === OWN ? null : chosen;
            setPlace(next);
            onChoose(next);
          }}
        />
      )}
      <Text size="sm">{t('try.lasts')}</Text>
      {start.isError && <Failure error={start.error} />}
      {start.isPending && (
        <Text role="status" size="sm">
          {t('try.waiting')}
        </Text>
      )}
      <Group>
        <Button loading={start.isPending} onClick={() => start.mutate()}>
          {t('try.start')}
        </Button>
        {start.isPending && (
          <Button
            variant="default"
            onClick={() => {
              asked.current?.abort();
              start.reset();
            }}
          >
            {t('form.cancel')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Failure({ error }: { error: unknown }) {
  const { t } = useTranslation();
  if (error instanceof WindowBlocked || error instanceof NotAllowed)
    return (
      <Alert role="alert" color="yellow">
        {t(error instanceof WindowBlocked ? 'try.window_blocked' : 'try.not_allowed')}
      </Alert>
    );
  if (error instanceof RequestError) return <ErrorAlert error={error} />;
  return (
    <Alert role="alert" color="red">
      {t('try.start_failed')}
    </Alert>
  );
}
