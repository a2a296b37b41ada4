import { useForm } from '@mantine/form';
import type { UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { flushSync } from 'react-dom';
import { fieldErrors, firstPart } from './field-errors.ts';

interface ServerForm<Values extends Record<string, unknown>, Result> {
  initialValues: Values;
  send(values: Values): Promise<Result>;
  onSuccess(result: Result): void | Promise<void>;
  onError?(error: unknown): void | Promise<void>;
  /** Set if the fields of the form are not those of the body. */
  fieldOf?: (pointer: readonly string[], values: Values) => string | null;
  /** Messages for values that could not be sent at all, such as a list without an entry. */
  validate?(values: Values): Record<string, string>;
}

/** Returns the element that is first on the page; a field without one has none. */
const firstOnPage = (nodes: readonly (HTMLElement | null)[]): HTMLElement | undefined =>
  nodes
    .filter((node) => node !== null)
    .toSorted((a, b) =>
      a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
    )[0];

/**
 * A form whose rules are the service's: an answer's errors are shown at the fields that they name,
 * and the first of these gets the focus. `error` is what belongs above the form.
 */
export function useServerForm<Values extends Record<string, unknown>, Result>({
  initialValues,
  send,
  onSuccess,
  onError,
  fieldOf = firstPart(Object.keys(initialValues)),
  validate = () => ({}),
}: ServerForm<Values, Result>) {
  const form: UseFormReturnType<Values> = useForm<Values>({
    initialValues,
    validate,
    // The library's password field does not mark itself.
    enhanceGetInputProps: ({ inputProps }) =>
      inputProps.error === undefined ? {} : { 'aria-invalid': true },
  });
  const split = (error: unknown) =>
    fieldErrors(error, (pointer) => fieldOf(pointer, form.getValues()));
  const show = (byField: Record<string, unknown>) => {
    // A folded section with an error opens first; only then can its field get the focus.
    flushSync(() => form.setErrors(byField as Record<string, string>));
    const first = firstOnPage(Object.keys(byField).map((field) => form.getInputNode(field)));
    if (first === undefined) return;
    first.focus({ preventScroll: true });
    // In the middle of the screen it is above the bar that saves, with its message.
    const fits = first.offsetHeight < innerHeight / 2;
    first.scrollIntoView({ block: fits ? 'center' : 'start' });
  };
  const mutation = useMutation({
    mutationFn: send,
    onSuccess,
    onError(error) {
      show(split(error).byField);
      return onError?.(error);
    },
  });
  const { hasOthers } = split(mutation.error);
  return {
    form,
    isPending: mutation.isPending,
    error: mutation.isError && hasOthers ? mutation.error : null,
    submit: form.onSubmit((values) => mutation.mutate(values), show),
  };
}
