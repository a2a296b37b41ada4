import { useTranslation } from 'react-i18next';
import { incompletePolicies } from './key-values.ts';
import type { KeyValues } from './key-values.ts';

/** How long a form waits for the next change before it asks for a preview. */
export const PREVIEW_MS = 200;

/** Whether the service can preview these values; until then, the last preview stays. */
export const isComplete = (values: KeyValues): boolean =>
  values.name.trim() !== '' && incompletePolicies(values).length === 0;

/**
 * Returns whether a preview does not show what is entered: it waits for the next change or for the
 * answer, or the values cannot be previewed. `draft` is what was last asked for.
 */
export function previewState(
  values: KeyValues,
  draft: KeyValues,
  { data, isFetching }: { data: unknown; isFetching: boolean },
): 'updating' | 'outdated' | null {
  if (data === undefined) return null;
  if (!isComplete(values)) return 'outdated';
  return isFetching || values !== draft ? 'updating' : null;
}

/** Returns the function that says what a policy without an entry needs. */
export function usePolicyMessages() {
  const { t } = useTranslation();
  return (values: KeyValues): Record<string, string> =>
    Object.fromEntries(
      incompletePolicies(values).map((field) => [field, t(`policy.need_${field}`)]),
    );
}
