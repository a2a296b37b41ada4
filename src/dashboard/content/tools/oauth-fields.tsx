import { PasswordInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { OAuthRecord } from '../../../content/upstreams/oauth/schema.ts';
import { useSpace } from '../space.ts';

/** How a server is authorized, in a form. */
export interface OAuthValues {
  auth: 'headers' | 'shared' | 'each_person';
  scopes: string;
  client_id: string;
  client_secret: string;
}

export const oauthValuesOf = (oauth: OAuthRecord | null): OAuthValues => ({
  auth: oauth?.connection ?? 'headers',
  scopes: oauth?.scopes.join(' ') ?? '',
  client_id: oauth?.client_id ?? '',
  client_secret: '',
});

/** Returns what is sent; an empty secret keeps the stored one, unless the client changes. */
export function oauthOf(
  { auth, scopes, client_id, client_secret }: OAuthValues,
  stored: OAuthRecord | null,
): object | null {
  if (auth === 'headers') return null;
  return {
    connection: auth,
    scopes: scopes.split(/\s+/).filter((scope) => scope !== ''),
    ...(client_id === '' ? (stored?.client_id == null ? {} : { client_id: null }) : { client_id }),
    ...(client_secret === '' ? {} : { client_secret }),
  };
}

/** Whether headers or OAuth authorize the gateway, and what OAuth needs. */
export function OAuthFields<Values extends OAuthValues>({
  form,
  stored,
}: {
  form: UseFormReturnType<Values>;
  stored: OAuthRecord | null;
}) {
  const { t } = useTranslation();
  const { api } = useSpace();
  const labelId = useId();
  const { auth } = form.values;
  // In a space of one person, the two are the same.
  const isAlone = api === '/api/me';
  const kinds = isAlone && auth !== 'each_person' ? (['headers', 'shared'] as const) : ALL_KINDS;
  return (
    <Stack gap="sm">
      <div>
        <Text fw={600} id={labelId}>
          {t('content.tools.oauth.auth')}
        </Text>
        <Text size="sm" c="dimmed">
          {t(`content.tools.oauth.${auth}_hint`)}
        </Text>
      </div>
      <Radio.Group aria-labelledby={labelId} {...form.getInputProps('auth')}>
        <Stack gap="xs">
          {kinds.map((kind) => (
            <Radio
              key={kind}
              value={kind}
              label={t(`content.tools.oauth.${isAlone && kind === 'shared' ? 'alone' : kind}`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      {auth !== 'headers' && (
        <>
          <TextInput
            label={t('content.tools.oauth.scopes')}
            description={t('content.tools.oauth.scopes_hint')}
            dir="ltr"
            autoComplete="off"
            {...form.getInputProps('scopes')}
          />
          <TextInput
            label={t('content.tools.oauth.client_id')}
            description={t('content.tools.oauth.client_id_hint')}
            dir="ltr"
            autoComplete="off"
            {...form.getInputProps('client_id')}
          />
          <PasswordInput
            label={t('content.tools.oauth.client_secret')}
            placeholder={
              stored?.has_client_secret === true ? t('content.tools.header_stored') : undefined
            }
            dir="ltr"
            autoComplete="new-password"
            {...form.getInputProps('client_secret')}
          />
        </>
      )}
    </Stack>
  );
}

const ALL_KINDS = ['headers', 'shared', 'each_person'] as const;
