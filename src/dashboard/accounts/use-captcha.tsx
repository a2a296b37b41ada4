import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useCallback, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { RequestError } from '../api/request.ts';
import { serviceQuery } from '../api/service.ts';
import { onDemand } from '../parts/on-demand.tsx';
import { solveCaptcha } from './captcha.ts';

const CaptchaWidget = onDemand(async () => (await import('./captcha-widget.tsx')).CaptchaWidget);

const FAILED = 'captcha_failed';

/**
 * The CAPTCHA of a form: solved in the background, or by the person in the widget of a hosted
 * provider.
 */
export function useCaptcha() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data: service } = useQuery(serviceQuery);
  const token = useRef<string | null>(null);
  const [round, setRound] = useState(0);
  const [isSolved, setSolved] = useState(false);
  const onToken = useCallback((next: string | null) => {
    token.current = next;
    setSolved(next !== null);
  }, []);
  const provider = service?.captcha.provider ?? 'altcha';

  return {
    /** Sends a form with a token. A widget then asks for another one if this one was used. */
    async send<Result>(work: (token: string) => Promise<Result>): Promise<Result> {
      const { captcha } = await queries.ensureQueryData(serviceQuery);
      if (captcha.provider === 'altcha') return work(await solveCaptcha());
      if (token.current === null) throw missing(t('captcha.required'));
      try {
        const result = await work(token.current);
        setRound((count) => count + 1);
        return result;
      } catch (error) {
        if (error instanceof RequestError && error.errors.some(({ code }) => code === FAILED))
          setRound((count) => count + 1);
        throw error;
      }
    },
    /** Returns the widget, if there is one; `error` is what the service says about the token. */
    widget: (error: ReactNode = null): ReactNode =>
      provider === 'altcha' ? null : (
        <Suspense>
          <CaptchaWidget
            provider={provider}
            onToken={onToken}
            round={round}
            error={isSolved ? null : error}
          />
        </Suspense>
      ),
  };
}

/** Creates the error that the service would answer with. */
const missing = (message: string) =>
  new RequestError(422, [{ code: FAILED, message, detail: { pointer: '/captcha_token' } }], null);
