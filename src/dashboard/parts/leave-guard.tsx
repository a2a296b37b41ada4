import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

/** Asks before a page is left whose changes are not saved; `isDirty` is asked at that time. */
export function LeaveGuard({ isDirty }: { isDirty(): boolean }) {
  const { t } = useTranslation();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isDirty(),
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Modal opened onClose={blocker.reset} title={t('form.leave_title')}>
      <Stack>
        <Text size="sm">{t('form.leave_body')}</Text>
        <Group justify="end">
          <Button variant="default" onClick={blocker.reset} data-autofocus>
            {t('form.leave_stay')}
          </Button>
          <Button color="red" onClick={blocker.proceed}>
            {t('form.leave_action')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
