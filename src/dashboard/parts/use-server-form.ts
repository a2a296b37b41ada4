import { useForm } from '@mantine/form';
import type { UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { fieldErrors } from './field-errors.ts';

interface ServerForm<Values extends Record<string, unknown>, Result> {
  initialValues: Values;
  send(values: Values): Promise<Result>;
  onSuccess(result: Result): void | Promise<void>;
  onError?(error: unknown): void;
}

/**
 * A form whose rules are the service's: an answer's errors are shown at the fields that they name,
 * and the first of these gets the focus. `error` is what belongs above the form.
 */
export function useServerForm<Values extends Record<string, unknown>, Result>({
  initialValues,
  send,
  onSuccess,
  onError,
}: ServerForm<Values, Result>) {
  const form: UseFormReturnType<Values> = useForm<Values>({ initialValues });
  const mutation = useMutation({
    mutationFn: send,
    onSuccess,
    onError(error) {
      const { byField } = fieldErrors(error, Object.keys(initialValues));
      form.setErrors(byField);
      const [first] = Object.keys(byField);
      if (first !== undefined) form.getInputNode(first)?.focus();
      onError?.(error);
    },
  });
  const { hasOthers } = fieldErrors(mutation.error, Object.keys(initialValues));
  return {
    form,
    isPending: mutation.isPending,
    error: mutation.isError && hasOthers ? mutation.error : null,
    submit: form.onSubmit((values) => mutation.mutate(values)),
  };
}
