import { Button, Checkbox, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from './copy-button.tsx';

/**
 * Shows a secret once, which may be several lines. It cannot be closed by accident: only after the secret was copied, or the
 * person says that it is stored.
 */
export function SecretDialog({
  title,
  body,
  label,
  secret,
  action,
  onDone,
}: {
  title: string;
  body: string;
  label: string;
  secret: string;
  action: string;
  onDone(): void;
}) {
  const { t } = useTranslation();
  const [isStored, setStored] = useState(false);
  const field = {
    label,
    value: secret,
    readOnly: true,
    flex: 1,
    dir: 'ltr',
    autoComplete: 'off',
    spellCheck: false,
    styles: { input: { fontFamily: 'var(--mantine-font-family-monospace)' } },
    'data-autofocus': true,
  } as const;
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={title}
      size="lg"
    >
      <Stack>
        <Text size="sm">{body}</Text>
        <Group align="end" wrap="nowrap" gap="xs">
          {secret.includes('\n') ? (
            <Textarea
              {...field}
              rows={secret.split('\n').length}
              onFocus={({ currentTarget }) => currentTarget.select()}
            />
          ) : (
            <TextInput {...field} onFocus={({ currentTarget }) => currentTarget.select()} />
          )}
          <CopyButton text={secret} onCopy={() => setStored(true)} />
        </Group>
        <Checkbox
          label={t('new_key.secret_stored')}
          checked={isStored}
          onChange={({ currentTarget }) => setStored(currentTarget.checked)}
        />
        <Button disabled={!isStored} onClick={onDone}>
          {action}
        </Button>
      </Stack>
    </Modal>
  );
}
