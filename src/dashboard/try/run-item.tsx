import { Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RequestError } from '../api/request.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Arguments } from './arguments.tsx';
import type { TryItem, Values } from './items.ts';
import { OutcomeView } from './outcome-view.tsx';
import { tryConnection } from './try-connection.ts';
import type { TryConnection } from './try-connection.ts';

/** One item: what it says of itself, its arguments, a button that really calls it, and the answer. */
export function RunItem({
  item,
  connection,
  isOver,
}: {
  item: TryItem;
  connection: TryConnection;
  isOver: boolean;
}) {
  const { t } = useTranslation();
  const [values, setValues] = useState<Values | null>({});
  const [isAsking, dialog] = useDisclosure(false);
  const form = useRef<HTMLFormElement>(null);
  const run = useMutation({
    mutationFn: () => connection.run(item, values ?? {}),
    onError(error) {
      if (error instanceof RequestError && error.status === 401) tryConnection.over(connection);
    },
  });
  const outcome = run.data;
  useEffect(() => {
    if (outcome !== undefined && outcome.issues.length > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [outcome]);
  return (
    <Stack>
      <div>
        <Title order={2}>
          <bdi>{item.title ?? item.name}</bdi>
        </Title>
        {item.title !== null && (
          <Text size="sm" ff="monospace" c="dimmed">
            <bdi>{item.name}</bdi>
          </Text>
        )}
      </div>
      {item.description !== null && <Text className="message-text">{item.description}</Text>}
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (values === null || run.isPending) return;
          if (item.mayDestroy) dialog.open();
          else run.mutate();
        }}
      >
        <Stack>
          {item.schema === null ? (
            item.family !== 'resource' && <Text size="sm">{t('try.no_arguments')}</Text>
          ) : (
            <Arguments schema={item.schema} issues={outcome?.issues ?? []} onChange={setValues} />
          )}
          <Group gap="sm">
            <Button type="submit" loading={run.isPending} disabled={isOver}>
              {t(`try.run_${item.family}`)}
            </Button>
            <Text size="sm" c="dimmed">
              {t(isOver ? 'try.start_again' : `try.cost_${item.family}`)}
            </Text>
          </Group>
        </Stack>
      </form>
      {run.isError && !isOver && <ErrorAlert error={run.error} />}
      {outcome !== undefined && !run.isPending && (
        <OutcomeView outcome={outcome} item={item} connection={connection} />
      )}
      <Modal
        opened={isAsking}
        onClose={dialog.close}
        title={t('try.ask_title', { name: item.name })}
      >
        <Stack>
          <Text size="sm">{t('try.ask_body')}</Text>
          <Group justify="end">
            <Button variant="default" data-autofocus onClick={dialog.close}>
              {t('form.cancel')}
            </Button>
            <Button
              color="red"
              onClick={() => {
                dialog.close();
                run.mutate();
              }}
            >
              {t('try.ask_action')}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Stack>
  );
}
