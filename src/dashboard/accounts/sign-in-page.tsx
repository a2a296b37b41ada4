import {
  Alert,
  Anchor,
  Button,
  Divider,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ResendLink } from './resend-link.tsx';
import { hasPasskeySupport, signInWithPasskey } from '../api/passkeys.ts';
import { request, RequestError } from '../api/request.ts';
import { serviceQuery } from '../api/service.ts';
import { forgetAccount, secondFactorPage, signInWithPassword } from '../api/session.ts';
import { sessionEnd } from '../api/session-end.ts';
import { Outside } from '../frame/outside.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { useServerForm } from '../parts/use-server-form.ts';

const route = getRouteApi('/sign-in');

interface SsoSignIn {
  url: string | null;
  required: boolean;
}

/** Signs in with a password, a provider, or the single sign-on of an address. */
export function SignInPage() {
  const { t } = useTranslation();
  const { to = '/app', sso: asked } = route.useSearch();
  const router = useRouter();
  const queries = useQueryClient();
  const service = useQuery(serviceQuery);
  const sso = useMutation({
    mutationFn: (email: string) =>
      request<SsoSignIn>(`/api/auth/sso?${new URLSearchParams({ email }).toString()}`),
  });
  function proceed() {
    forgetAccount(queries);
    sessionEnd.restored();
    if (to.startsWith('/oauth/')) location.assign(to);
    else router.history.push(to);
  }
  const [isUnverified, setIsUnverified] = useState(false);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { email: '', password: '' },
    send: signInWithPassword,
    onSuccess(signedIn) {
      if (signedIn.second_factor !== undefined)
        return location.assign(secondFactorPage(signedIn, to));
      proceed();
    },
    onError: (failed) => setIsUnverified(isAboutAddress(failed)),
  });
  const { email } = form.getValues();
  const providers = service.data?.providers ?? [];
  const hasPasskeys = service.data?.passkeys === true && hasPasskeySupport();
  return (
    <Outside title={t('sign_in.title')}>
      <form onSubmit={submit}>
        <Stack>
          {asked !== undefined && (
            <Alert role="note">
              <Stack gap="sm">
                <Text size="sm">{t('sign_in.sso_asked')}</Text>
                <SsoLink url={`/api/auth/sso/${asked}/start`} to={to} />
              </Stack>
            </Alert>
          )}
          {error !== null && <ErrorAlert error={error} />}
          {isUnverified && (
            <Stack gap="xs">
              <Text size="sm">{t('sign_in.unverified')}</Text>
              <ResendLink email={email} />
            </Stack>
          )}
          <TextInput
            label={t('form.email')}
            type="email"
            name="email"
            autoComplete="username"
            required
            maxLength={254}
            {...form.getInputProps('email')}
            onBlur={() => {
              if (email.includes('@')) sso.mutate(email);
            }}
          />
          {typeof sso.data?.url === 'string' && <SsoLink url={sso.data.url} to={to} />}
          {sso.data?.required === true ? (
            <Text size="sm">{t('sign_in.sso_required')}</Text>
          ) : (
            <>
              <PasswordInput
                label={t('form.password')}
                name="password"
                autoComplete="current-password"
                required
                {...form.getInputProps('password')}
              />
              <Button type="submit" loading={isPending}>
                {t('sign_in.action')}
              </Button>
            </>
          )}
          {(hasPasskeys || providers.length > 0) && <Divider label={t('sign_in.or')} />}
          {hasPasskeys && <PasskeySignIn onSignedIn={proceed} />}
          {providers.map(({ id, name }) => (
            <Button
              key={id}
              component="a"
              variant="default"
              href={`/api/auth/oauth/${id}?${new URLSearchParams({ return_path: to }).toString()}`}
            >
              {t('sign_in.provider', { provider: name })}
            </Button>
          ))}
          <Group justify="space-between" gap="xs">
            <Text size="sm">
              {t('sign_in.no_account')}{' '}
              <Anchor underline="always" renderRoot={(props) => <Link to="/sign-up" {...props} />}>
                {t('sign_in.sign_up')}
              </Anchor>
            </Text>
            <Anchor size="sm" renderRoot={(props) => <Link to="/forgot" {...props} />}>
              {t('sign_in.forgot')}
            </Anchor>
          </Group>
        </Stack>
      </form>
    </Outside>
  );
}

/** Leads to the identity provider; the referrer tells the service that a page of its own does. */
function SsoLink({ url, to }: { url: string; to: string }) {
  const { t } = useTranslation();
  return (
    <Button
      component="a"
      href={`${url}?${new URLSearchParams({ return_path: to }).toString()}`}
      referrerPolicy="origin"
    >
      {t('sign_in.sso')}
    </Button>
  );
}

/** Whether the password was right, but the address is not confirmed yet. */
const isAboutAddress = (error: unknown): boolean =>
  error instanceof RequestError &&
  error.code === 'authentication_error' &&
  error.errors[0]?.detail?.pointer === '/email';

/** Needs no address: the passkey identifies the account. */
function PasskeySignIn({ onSignedIn }: { onSignedIn(): void }) {
  const { t } = useTranslation();
  const signIn = useMutation({ mutationFn: signInWithPasskey, onSuccess: onSignedIn });
  return (
    <Stack gap="xs">
      {signIn.isError && <ErrorAlert error={signIn.error} />}
      <Button
        variant="default"
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={signIn.isPending}
        onClick={() => signIn.mutate()}
      >
        {t('sign_in.passkey')}
      </Button>
    </Stack>
  );
}
