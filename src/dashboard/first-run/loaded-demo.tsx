import { Anchor, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { demoLinks } from '../../seed/demo/schema.ts';
import type { LoadedDemo } from '../../seed/demo/schema.ts';
import { CopyButton } from '../parts/copy-button.tsx';

/** Shown once: passwords, a command that calls a tool, and pages to look at. */
export function LoadedDemoView({ loaded }: { loaded: LoadedDemo }) {
  const { t } = useTranslation();
  const passwords = loaded.passwords.map(({ name, secret }) => `${name}  ${secret}`).join('\n');
  return (
    <Stack gap="lg">
      <section aria-labelledby="look">
        <Title order={2} size="h4" id="look" mb="xs">
          {t('first_run.look')}
        </Title>
        <Text size="sm" mb="xs">
          {t('first_run.signed_in', { email: loaded.passwords[0]?.name ?? '' })}
        </Text>
        <Stack component="ol" gap="xs" m={0} pl="lg">
          {demoLinks.map((link) => (
            <li key={link}>
              <Anchor size="sm" href={loaded.links[link]} target="_blank">
                {t(`first_run.look_${link}`)}
              </Anchor>
            </li>
          ))}
        </Stack>
      </section>
      <Shown id="passwords" title={t('first_run.passwords')} text={passwords}>
        {t('first_run.passwords_body')}
      </Shown>
      <Shown id="curl" title={t('first_run.curl')} text={loaded.curl}>
        {t('first_run.curl_body')}
      </Shown>
    </Stack>
  );
}

/** A text that can be copied. */
function Shown({
  id,
  title,
  text,
  children,
}: {
  id: string;
  title: string;
  text: string;
  children: string;
}) {
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        <CopyButton text={text} />
      </Group>
      <Text size="sm" mb="xs">
        {children}
      </Text>
      <Code block dir="ltr" tabIndex={0} role="region" aria-labelledby={id} className="difference">
        {text}
      </Code>
    </section>
  );
}
