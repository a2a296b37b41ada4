import { NO_ANSWER, RequestError } from './request.ts';

/** Proves that the person is present: part of the body of a request that requires it. */
export interface Proof {
  current_password?: string;
}

/** A request that waits until the person has reauthenticated. */
export interface WaitingRequest {
  /** Whether the account's password is the proof; otherwise it is a new sign-in. */
  takesPassword: boolean;
  /** Repeats the request and closes the dialog; throws only what the person can change in it. */
  repeat(proof: Proof): Promise<void>;
  cancel(): void;
}

const listeners = new Set<() => void>();
let waiting: WaitingRequest | null = null;

function set(request: WaitingRequest | null): void {
  waiting = request;
  for (const listener of listeners) listener();
}

export const reauthentication = {
  current: () => waiting,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

/**
 * Sends a request that may require reauthentication. If it does, a dialog asks the person, and the
 * request is sent again with the proof, which belongs in its body. Throws the 403 if the person
 * closes the dialog.
 *
 *     mutationFn: () =>
 *       withReauthentication((proof) =>
 *         request<void>(`/api/user/passkeys/${id}`, { method: 'DELETE', body: proof }))
 */
export async function withReauthentication<Result>(
  send: (proof: Proof) => Promise<Result>,
): Promise<Result> {
  try {
    return await send({});
  } catch (error) {
    if (!isReauthenticationRequired(error) || waiting !== null) throw error;
    return ask(send, error);
  }
}

export const isReauthenticationRequired = (error: unknown): error is RequestError =>
  error instanceof RequestError && error.code === 'reauthentication_required';

function ask<Result>(send: (proof: Proof) => Promise<Result>, required: RequestError) {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  let isRepeating = false;
  set({
    takesPassword: required.errors[0]?.detail?.pointer === '/current_password',
    async repeat(proof) {
      isRepeating = true;
      try {
        resolve(await send(proof));
      } catch (error) {
        if (isOfDialog(error)) throw error;
        reject(error);
      } finally {
        isRepeating = false;
      }
      set(null);
    },
    cancel() {
      if (isRepeating) return;
      set(null);
      reject(required);
    },
  });
  return promise;
}

/** A wrong password, too many of them, or no answer: the person tries again in the dialog. */
const isOfDialog = (error: unknown): boolean =>
  isReauthenticationRequired(error) ||
  (error instanceof RequestError && [NO_ANSWER, 429, 503].includes(error.status));
