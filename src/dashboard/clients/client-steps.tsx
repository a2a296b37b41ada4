import { Code, Select, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../parts/copy-button.tsx';
import classes from './clients.module.css';
import { clientPresetsQuery } from './clients.ts';

const PLACEHOLDER = 'YOUR_CLIENT_ID';

/** What to do in a known application once its client is registered. */
export function ClientSteps({
  clientId,
  preset,
  onPreset,
}: {
  clientId: string;
  preset: string | undefined;
  onPreset(preset: string): void;
}) {
  const { t } = useTranslation();
  const presets = useQuery(clientPresetsQuery);
  const known = presets.data?.data ?? [];
  const steps = known.find(({ id }) => id === preset)?.steps ?? [];
  return (
    <section aria-labelledby="steps">
      <Title order={2} id="steps" mb="sm">
        {t('client.steps')}
      </Title>
      <Stack gap="sm">
        <Select
          label={t('client.preset')}
          placeholder={t('client.choose_preset')}
          data={known.map(({ id, title }) => ({ value: id, label: title }))}
          value={preset ?? null}
          allowDeselect={false}
          searchable
          maw={420}
          onChange={(chosen) => {
            if (chosen !== null) onPreset(chosen);
          }}
        />
        {steps.length > 0 && (
          <ol>
            {steps.map((step) => (
              <li key={step}>
                <Step text={step.replaceAll(PLACEHOLDER, clientId)} />
              </li>
            ))}
          </ol>
        )}
      </Stack>
    </section>
  );
}

/** The only Markdown in a step is code between backticks; what has more than one word is to be copied. */
function Step({ text }: { text: string }) {
  return (
    <Text size="sm" className={classes.step}>
      {text.split('`').map((part, index) => {
        if (index % 2 === 0) return part;
        return (
          <Fragment key={index}>
            <Code>{part}</Code>
            {part.includes(' ') && <CopyButton text={part} isCompact />}
          </Fragment>
        );
      })}
    </Text>
  );
}
