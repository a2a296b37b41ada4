import { useTranslation } from 'react-i18next';
import { incompletePolicies } from './key-values.ts';
import type { KeyValues } from './key-values.ts';

/** How long a form waits for the next change before it asks for a preview. */
export const PREVIEW_MS = 200;

/** Whether the service can preview these values; until then, the last preview stays. */
export const isComplete = (values: KeyValues): boolean =>
  values.name.trim() !== '' && incompletePolicies(values).length === 0;

/** Returns the function that says what a policy without an entry needs. */
export function usePolicyMessages() {
  const { t } = useTranslation();
  return (values: KeyValues): Record<string, string> =>
    Object.fromEntries(
      incompletePolicies(values).map((field) => [field, t(`policy.need_${field}`)]),
    );
}
