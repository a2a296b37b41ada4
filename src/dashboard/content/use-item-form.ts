import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RequestError } from '../api/request.ts';
import type { Family, FieldValues, Listed } from './family.ts';
import { changeItem, createItem, itemQuery } from './items.ts';
import { useSpace } from './space.ts';
import { useIdempotencyKey } from '../parts/use-idempotency-key.ts';
import { useServerForm } from '../parts/use-server-form.ts';

/**
 * The form of an item. `base` is the version that it was started from: saving fails if the item has
 * been changed since, and `theirs` is then the version that is stored.
 */
export function useItemForm<Item extends Listed, Values extends FieldValues>({
  family,
  item,
  onSaved,
}: {
  family: Family<Item, Values>;
  item: Item | null;
  onSaved(item: Item): void;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const space = useSpace();
  const shelf = { space, path: family.path };
  const idempotencyKey = useIdempotencyKey();
  const [base, setBase] = useState(item);
  const [theirs, setTheirs] = useState<Item | null>(null);
  const over = useRef<number | null>(null);

  /** Adds what only the items of a catalog have. */
  const valuesOf = (one: Item | null): Values => ({
    ...family.valuesOf(one),
    ...(space.isCatalog ? { organization_wide: one?.organization_wide ?? false } : {}),
  });

  function startFrom(next: Item) {
    setBase(next);
    setTheirs(null);
    form.setInitialValues(valuesOf(next));
    form.reset();
  }

  const { form, ...others } = useServerForm<Values, Item>({
    initialValues: valuesOf(item),
    fieldOf: family.fieldOf,
    validate: (values) =>
      Object.fromEntries(
        (family.requiredOf?.(values) ?? []).map((field) => [field, t('form.required')]),
      ),
    send: async (values) => {
      const { organization_wide } = values;
      const body = {
        ...family.bodyOf(values, base, t('content.not_json')),
        ...(space.isCatalog ? { organization_wide } : {}),
      };
      if (base === null) return createItem<Item>(shelf, body, idempotencyKey(body));
      return changeItem<Item>(shelf, base.id, over.current ?? base.version, body);
    },
    async onSuccess(saved) {
      over.current = null;
      startFrom(saved);
      const { version } = saved;
      // Another item reaches agents only where the policy of a team admits it.
      const isReached = space.catalog === null && saved.organization_wide !== false;
      notifications.show({
        message: t(isReached ? 'content.saved' : 'content.stored', { version }),
      });
      queries.setQueryData(itemQuery<Item>(shelf, saved.id).queryKey, saved);
      onSaved(saved);
      await queries.invalidateQueries({ queryKey: ['content'] });
    },
    async onError(error) {
      over.current = null;
      if (base === null || !(error instanceof RequestError) || error.status !== 412) return;
      setTheirs(await queries.fetchQuery({ ...itemQuery<Item>(shelf, base.id), staleTime: 0 }));
    },
  });

  return {
    ...others,
    form,
    base,
    theirs: theirs === null ? null : { item: theirs, values: valuesOf(theirs) },
    startFrom,
    /** Saves what the form says over the version that somebody else has saved. */
    saveOver(version: number) {
      over.current = version;
      others.submit();
    },
  };
}
