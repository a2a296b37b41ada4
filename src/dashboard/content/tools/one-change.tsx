import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { Differences } from '../differences.tsx';
import { addressOf, useSpace } from '../space.ts';

type Sides = Pick<ComponentProps<typeof Differences>, 'left' | 'right'>;

interface Props {
  change: 'new' | 'changed' | 'removed';
  family: 'tools' | 'prompts' | 'resources';
  name: string;
  /** Id of the item here; null before it is added. */
  item_id: string | null;
  /** The approved description and the server's; null if the server no longer lists it. */
  sides: Sides | null;
  removedHint: string;
  addLabel: string;
  isPending: boolean;
  onApprove(): void;
}

/** A change at a server: what it concerns, what differs, and the button that approves it. */
export function OneChange({ change, family, name, item_id, sides, ...rest }: Props) {
  const { t } = useTranslation();
  const space = useSpace();
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Badge size="sm" variant="light" tt="none">
          {t(`content.tools.change_${change}`)}
        </Badge>
        {item_id === null ? (
          <Text fw={600}>
            <bdi>{name}</bdi>
          </Text>
        ) : (
          <Link to={addressOf(space, family, item_id)} className="text-link">
            <bdi>{name}</bdi>
          </Link>
        )}
      </Group>
      {change === 'removed' && <Text size="sm">{rest.removedHint}</Text>}
      {change !== 'removed' && sides !== null && (
        <>
          <Differences
            {...sides}
            leftTitle={t('content.tools.approved_description')}
            rightTitle={t('content.tools.found_description')}
          />
          <Button
            size="xs"
            className="add-row"
            loading={rest.isPending}
            onClick={() => rest.onApprove()}
          >
            {change === 'new' ? rest.addLabel : t('content.tools.approve')}
          </Button>
        </>
      )}
    </Stack>
  );
}
