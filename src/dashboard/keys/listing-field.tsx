import { Radio, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { ToolListing } from '../../caller/schema.ts';

const LISTINGS = ['all', 'search'] as const satisfies readonly ToolListing[];

/** Chooses how a credential lists its tools, under a heading that says so. */
export function ListingField<Values extends { tool_listing: ToolListing }>({
  form,
}: {
  form: UseFormReturnType<Values>;
}) {
  const { t } = useTranslation();
  const { tool_listing } = form.values;
  return (
    <Radio.Group
      aria-label={t('key_form.listing')}
      value={tool_listing}
      error={form.errors['tool_listing']}
      data-path="tool_listing"
      tabIndex={-1}
      onChange={(chosen) => form.setValues({ tool_listing: chosen } as Partial<Values>)}
    >
      <Stack gap="xs">
        {LISTINGS.map((one) => (
          <Radio
            key={one}
            value={one}
            label={t(`key_form.listing_${one}`)}
            description={t(`key_form.listing_${one}_hint`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
