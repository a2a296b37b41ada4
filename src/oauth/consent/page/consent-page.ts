import type { RequestFacts } from '../../../caller/route.ts';
import { chosenColorScheme } from '../../../look/color-scheme.ts';
import { asRefusal } from '../../../platform/errors/outage.ts';
import { scriptPage } from '../../../platform/http/script-page.ts';
import { pageLanguage } from '../../../texts/languages.ts';
import { createTexts } from '../../../texts/texts.ts';
import { PAGE_POLICY } from '../../page-policy.ts';
import { createAnswers } from './answers.ts';
import type { PageAnswersDependencies } from './answers.ts';
import { SESSION_SCRIPT } from './sign-in-views.ts';
import { endedView, unavailableView } from './views.ts';
import type { PageResponse, Visit } from './visit.ts';

interface PageRequest {
  params: Readonly<Record<string, string>>;
  request: RequestFacts;
}

/** Returns the page on which people decide about clients, and its script. */
export function consentPages(dependencies: PageAnswersDependencies & { publicUrl: string }) {
  const { host } = new URL(dependencies.publicUrl);
  const translatorFor = createTexts();
  const answer = createAnswers(dependencies);

  /** Runs `work` for a request of this browser; explains what has ended or is unavailable. */
  async function visit(
    { params, request }: PageRequest,
    work: (visit: Visit) => Promise<PageResponse>,
  ): Promise<PageResponse> {
    const language = pageLanguage(request);
    const color_scheme = chosenColorScheme(request.cookies);
    const words = { ...translatorFor('oauth', language), host, color_scheme };
    const uid = params['uid'] ?? '';
    const respond = async (): Promise<PageResponse> => {
      try {
        const interaction = await dependencies.consent.find(uid, request);
        return await work({ words, uid, request, interaction });
      } catch (error) {
        const refusal = asRefusal(error);
        if (refusal?.kind === 'absent') return { status: 404, body: endedView(words) };
        if (refusal?.kind === 'conflict') return { status: 409, body: endedView(words) };
        if (refusal?.kind === 'unavailable')
          return {
            status: 503,
            body: unavailableView(words, uid),
            headers: { 'retry-after': '1' },
          };
        throw error;
      }
    };
    const { headers, ...response } = await respond();
    return { ...response, headers: { ...headersIn(language), ...headers } };
  }

  return [
    {
      path: '/oauth/consent/{uid}',
      content_type: 'text/html; charset=utf-8',
      handle: (request: PageRequest) => visit(request, (one) => answer.show(one)),
      submit: (request: PageRequest & { form: URLSearchParams }) =>
        visit(request, (one) => answer.submit(one, request.form)),
    },
    scriptPage(SESSION_SCRIPT, new URL('./session.js', import.meta.url)),
  ];
}

const headersIn = (language: string) => ({
  'content-security-policy': PAGE_POLICY,
  'content-language': language,
  vary: 'Accept-Language, Cookie',
  // Without it, browsers send `Origin: null` with the page's own forms.
  'referrer-policy': 'same-origin',
});
