import { Button, Code, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from './error-alert.tsx';

/** Asks before something is ended for good; unless nothing depends on it, its name must be typed. */
export function ConfirmDialog({
  title,
  name,
  typeLabel,
  action,
  isPending,
  error,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  name: string;
  /** Null if the name need not be typed. */
  typeLabel: string | null;
  action: string;
  isPending: boolean;
  error: unknown;
  onConfirm(): void;
  onClose(): void;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const isConfirmed = typeLabel === null || typed === name;
  return (
    <Modal opened onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isConfirmed) onConfirm();
        }}
      >
        <Stack>
          {children}
          {error !== null && <ErrorAlert error={error} />}
          {typeLabel !== null && (
            <TextInput
              label={<Named text={typeLabel} name={name} />}
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {t('form.cancel')}
            </Button>
            <Button type="submit" color="red" disabled={!isConfirmed} loading={isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** A text in which the name that is to be typed is told from the words around it. */
function Named({ text, name }: { text: string; name: string }) {
  const start = text.indexOf(name);
  return (
    <>
      {text.slice(0, start)}
      <Code>{name}</Code>
      {text.slice(start + name.length)}
    </>
  );
}
