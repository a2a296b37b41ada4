import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Account } from '../../accounts/schema.ts';
import { supportedLanguages, translatedLanguages } from '../../texts/languages.ts';
import { request } from '../api/request.ts';
import { profileQuery } from '../api/session.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Page } from '../parts/page.tsx';
import { useServerForm } from '../parts/use-server-form.ts';
import type { Translate } from '../texts/texts.ts';
import { EmailChange } from './email-change.tsx';
import { Section } from './section.tsx';

/** Names, the language of e-mails, and the e-mail address. */
export function ProfilePage() {
  const { t } = useTranslation();
  const { data: account } = useQuery(profileQuery);
  return (
    <Page title={t('settings.profile')}>
      {account !== undefined && (
        <Stack gap="lg">
          <ProfileForm account={account} />
          <EmailChange account={account} />
        </Stack>
      )}
    </Page>
  );
}

function ProfileForm({ account }: { account: Account }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: {
      first_name: account.first_name ?? '',
      last_name: account.last_name ?? '',
      locale: account.locale,
    },
    send: ({ first_name, last_name, locale }) =>
      request<Account>('/api/user/profile', {
        method: 'PATCH',
        body: { first_name: first_name || null, last_name: last_name || null, locale },
      }),
    onSuccess(saved) {
      queries.setQueryData(profileQuery.queryKey, saved);
      notifications.show({ message: t('settings.saved') });
    },
  });
  return (
    <Section title={t('settings.you')} body={t('settings.you_body')}>
      <form onSubmit={submit}>
        <Stack maw="32rem">
          {error !== null && <ErrorAlert error={error} />}
          <Group grow align="start" preventGrowOverflow={false}>
            <TextInput
              label={t('form.first_name')}
              name="given-name"
              autoComplete="given-name"
              {...form.getInputProps('first_name')}
            />
            <TextInput
              label={t('form.last_name')}
              name="family-name"
              autoComplete="family-name"
              {...form.getInputProps('last_name')}
            />
          </Group>
          <NativeSelect
            label={t('settings.email_language')}
            description={t('settings.email_language_hint')}
            data={supportedLanguages.map((value) => ({ value, label: nameOf(value, t) }))}
            {...form.getInputProps('locale')}
          />
          <Group>
            <Button type="submit" loading={isPending}>
              {t('form.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

const translated: ReadonlySet<string> = new Set(translatedLanguages);

/** The language's name in itself, and whether its e-mails are in English. */
function nameOf(code: string, t: Translate): string {
  const language = new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code;
  return translated.has(code) ? language : t('settings.in_english', { language });
}
