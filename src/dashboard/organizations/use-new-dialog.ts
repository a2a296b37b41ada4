import { useNavigate, useSearch } from '@tanstack/react-router';

/** Reads the parameter of the address with which a page opens its dialog that creates something. */
export const newSearch = ({ new: isNew }: Record<string, unknown>): { new?: true | undefined } =>
  isNew === true ? { new: true } : {};

/** The dialog of a page that creates something: links from elsewhere open it. */
export function useNewDialog() {
  const { new: isNew } = useSearch({ strict: false }) as { new?: true };
  const navigate = useNavigate();
  const set = (search: { new?: true }) => void navigate({ to: '.', search, replace: true });
  return { isOpen: isNew === true, open: () => set({ new: true }), close: () => set({}) };
}
