import { NativeSelect } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { Choices } from '../../mcp/choices.tsx';
import { TryLink } from '../../try/try-link.tsx';
import { useOrganization } from '../use-organization.ts';

/** Built-in items with two choices each: selected, and then for everyone or by team policies. */
export function OrganizationChoices({
  wide,
  tried = [],
  onChange,
  ...choices
}: Omit<ComponentProps<typeof Choices>, 'onChange' | 'children'> & {
  wide: readonly string[];
  /** Those with a link to call them. */
  tried?: readonly string[];
  onChange(selected: string[], wide: string[]): void;
}) {
  const { id: organization } = useOrganization();
  const { selected, isReadOnly = false } = choices;
  return (
    <Choices
      {...choices}
      onChange={(next) =>
        onChange(
          next,
          wide.filter((id) => next.includes(id)),
        )
      }
    >
      {({ id, name }) => (
        <>
          {tried.includes(id) && <TryLink item={name} organization={organization} />}
          {selected.includes(id) && (
            <Reach
              name={name}
              isReadOnly={isReadOnly}
              isWide={wide.includes(id)}
              onChange={(isWide) =>
                onChange([...selected], isWide ? [...wide, id] : wide.filter((one) => one !== id))
              }
            />
          )}
        </>
      )}
    </Choices>
  );
}

/** Who can use a selected item: everyone, or those whose teams' policies admit it. */
function Reach({
  name,
  isWide,
  isReadOnly,
  onChange,
}: {
  name: string;
  isWide: boolean;
  isReadOnly: boolean;
  onChange(isWide: boolean): void;
}) {
  const { t } = useTranslation();
  return (
    <NativeSelect
      size="xs"
      w="11rem"
      aria-label={t('org_mcp.reach_of', { name })}
      value={isWide ? 'wide' : 'teams'}
      disabled={isReadOnly}
      onChange={({ currentTarget }) => onChange(currentTarget.value === 'wide')}
      data={[
        { value: 'teams', label: t('org_mcp.by_teams') },
        { value: 'wide', label: t('org_mcp.wide') },
      ]}
    />
  );
}
