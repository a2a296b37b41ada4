import { Button, Input, Loader, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaptchaChallenge, HostedProvider } from '../../accounts/captcha/schema.ts';
import { request } from '../api/request.ts';
import { loadWidget } from './hosted-widget.ts';
import type { WidgetApi } from './hosted-widget.ts';

type Hosted = Extract<CaptchaChallenge, { provider: HostedProvider }>;
type Problem = 'expired' | 'failed';

interface CaptchaWidgetProps {
  provider: HostedProvider;
  /** Called with a token, and with null when it expires or is no longer shown. */
  onToken(token: string | null): void;
  /** Another number asks for another token. */
  round: number;
  error: ReactNode;
}

/** Shows the widget of a hosted CAPTCHA provider; its script is loaded only with this. */
export function CaptchaWidget({ provider, onToken, round, error }: CaptchaWidgetProps) {
  const { t, i18n } = useTranslation();
  const language = i18n.resolvedLanguage ?? 'en';
  const theme = useComputedColorScheme('light');
  const container = useRef<HTMLDivElement>(null);
  const [retries, setRetries] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const widget = useQuery({
    queryKey: ['captcha-widget', provider],
    queryFn: async () => ({
      api: await loadWidget(provider, language),
      challenge: await request<Hosted>('/api/auth/captcha'),
    }),
    staleTime: Infinity,
    retry: false,
  });
  useEffect(() => {
    if (widget.data === undefined || container.current === null) return undefined;
    const { api, challenge } = widget.data;
    return show(api, container.current, {
      ...{ sitekey: challenge.site_key, action: challenge.action, theme },
      ...{ language, hl: language },
      onToken,
      onProblem: setProblem,
    });
  }, [widget.data, theme, language, onToken, round, retries]);
  const shownProblem = widget.isError ? 'blocked' : problem;
  const canRetry = widget.isError || problem === 'failed';
  return (
    <Input.Wrapper
      component="div"
      label={t('captcha.label')}
      labelElement="div"
      error={error ?? (shownProblem === null ? null : t(`captcha.${shownProblem}`))}
    >
      {widget.isPending && <Loader size="sm" role="status" aria-label={t('captcha.loading')} />}
      <div ref={container} role="group" aria-label={t('captcha.label')} />
      {canRetry && (
        <Button
          mt="xs"
          size="compact-sm"
          variant="default"
          onClick={() => {
            setProblem(null);
            if (widget.isError) void widget.refetch();
            else setRetries((count) => count + 1);
          }}
        >
          {t('errors.retry')}
        </Button>
      )}
    </Input.Wrapper>
  );
}

interface ShowOptions {
  [option: string]: unknown;
  onToken(token: string | null): void;
  onProblem(problem: Problem | null): void;
}

/** Renders the widget in an element of its own; returns the function that removes it. */
function show(
  api: WidgetApi,
  container: HTMLElement,
  { onToken, onProblem, ...options }: ShowOptions,
): () => void {
  const element = container.appendChild(document.createElement('div'));
  const lose = (problem: Problem) => {
    onToken(null);
    onProblem(problem);
  };
  const id = api.render(element, {
    ...options,
    callback(token: string) {
      onProblem(null);
      onToken(token);
    },
    'expired-callback': () => lose('expired'),
    'error-callback': () => lose('failed'),
  });
  return () => {
    onToken(null);
    api.remove?.(id);
    element.remove();
  };
}
