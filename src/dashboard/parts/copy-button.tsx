import { Button, CopyButton as Copy } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Copies a text; `onCopy` is told that it was. */
export function CopyButton({ text, onCopy }: { text: string; onCopy?: () => void }) {
  const { t } = useTranslation();
  return (
    <Copy value={text} timeout={3_000}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          leftSection={
            copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />
          }
          onClick={() => {
            copy();
            onCopy?.();
          }}
        >
          {copied ? t('form.copied') : t('form.copy')}
        </Button>
      )}
    </Copy>
  );
}
