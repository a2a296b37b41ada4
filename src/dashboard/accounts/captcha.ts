import { request } from '../api/request.ts';

/**
 * Returns a token for a public form. Its challenge is solved in the background, in about a second;
 * a token is valid once.
 */
export async function solveCaptcha(): Promise<string> {
  const challenge = await request<object>('/api/auth/captcha');
  const worker = new Worker(new URL('./captcha-worker.ts', import.meta.url), {
    type: 'module',
  });
  try {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    worker.addEventListener('message', ({ data }: MessageEvent<string | null>) =>
      data === null ? reject(new Error('The challenge was not solved in time.')) : resolve(data),
    );
    worker.addEventListener('error', () => reject(new Error('The challenge was not solved.')));
    worker.postMessage(challenge);
    return await promise;
  } finally {
    worker.terminate();
  }
}
