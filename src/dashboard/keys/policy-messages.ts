import { useTranslation } from 'react-i18next';
import { incompletePolicies } from './key-values.ts';
import type { KeyContext, KeyValues } from './key-values.ts';

/** How long a form waits for the next change before it asks for a preview. */
export const PREVIEW_MS = 200;

/** Whether the service can preview these values; until then, the last preview stays. */
export const isComplete = (values: KeyValues, context: KeyContext): boolean =>
  values.name.trim() !== '' && incompletePolicies(values, context).length === 0;

/** Returns the function that says what a policy without an entry needs. */
export function usePolicyMessages(context: KeyContext) {
  const { t } = useTranslation();
  return (values: KeyValues): Record<string, string> =>
    Object.fromEntries(
      incompletePolicies(values, context).map((field) => [field, t(`policy.need_${field}`)]),
    );
}
