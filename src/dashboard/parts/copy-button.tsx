import { ActionIcon, Button, CopyButton as Copy } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Copies a text; `onCopy` is told that it was. Next to code, it is a mere icon. */
export function CopyButton({
  text,
  isCompact = false,
  onCopy,
}: {
  text: string;
  isCompact?: boolean;
  onCopy?: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Copy value={text} timeout={3_000}>
      {({ copied, copy }) => {
        const label = copied ? t('form.copied') : t('form.copy');
        const Icon = copied ? IconCheck : IconCopy;
        const onClick = () => {
          copy();
          onCopy?.();
        };
        return isCompact ? (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={label}
            title={label}
            onClick={onClick}
          >
            <Icon size={16} aria-hidden />
          </ActionIcon>
        ) : (
          <Button variant="default" leftSection={<Icon size={16} aria-hidden />} onClick={onClick}>
            {label}
          </Button>
        );
      }}
    </Copy>
  );
}
