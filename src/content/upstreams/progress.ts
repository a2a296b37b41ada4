import type { Progress } from '../../catalog/catalog.ts';
import type { Redaction } from '../tools/redaction.ts';

type Report = (progress: Progress) => void;

/**
 * Runs a call that reports progress, which is passed on in the order in which it arrives. The call
 * ends, with its result or error, once all progress has been passed on, so that nothing follows the
 * response. Progress is optional: if it cannot be passed on, the call continues without it.
 */
export async function withProgress<T>(
  { onProgress, redaction }: { onProgress: Report | undefined; redaction: Redaction },
  call: (report: Report | undefined) => Promise<T>,
): Promise<T> {
  if (onProgress === undefined) return call(undefined);
  let passedOn = Promise.resolve();
  const pass = async ({ message, ...progress }: Progress) =>
    onProgress(
      message === undefined ? progress : { ...progress, message: await redaction.text(message) },
    );
  try {
    return await call((progress) => {
      passedOn = passedOn.then(() => pass(progress)).catch(() => {});
    });
  } finally {
    await passedOn;
  }
}
