import { Badge, Button, Stack, Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { KeyPlace } from './key-facts.tsx';
import { foundKeysQuery } from './keys.ts';
import type { Key } from './key-values.ts';
import { Entries } from '../organizations/parts/entries.tsx';
import { useOwner } from '../organizations/use-owner.ts';
import { FilterField } from '../parts/filter-field.tsx';
import { Moment } from '../parts/moment.tsx';
import { kindsOf } from '../parts/kinds.ts';
import { Page } from '../parts/page.tsx';
import { Fact, Row } from '../parts/row.tsx';

const FIND_MS = 200;

/** The API keys of a person or an organization. */
export function KeysPage() {
  const { t } = useTranslation();
  const { organization, keys, lacks } = useOwner();
  const { q = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [typed, setTyped] = useState(q);
  const find = useDebouncedCallback(
    (text: string) =>
      void navigate({ to: '.', search: text === '' ? {} : { q: text }, replace: true }),
    FIND_MS,
  );
  return (
    <Page
      title={
        organization === null ? t('keys.title') : t('org_keys.title', { name: organization.name })
      }
      about={organization === null ? undefined : `${t('org_keys.intro')} ${t('org_keys.members')}`}
      actions={lacks('create', 'api_keys') === null && <NewKeyLink />}
    >
      <Stack>
        <FilterField
          aria-label={t('keys.find')}
          placeholder={t('keys.find')}
          maw={{ xs: 320 }}
          value={typed}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            find(currentTarget.value.trim());
          }}
        />
        <Entries
          query={foundKeysQuery<Key>(keys, q)}
          empty={
            q === '' ? (
              <Nothing />
            ) : (
              <NoMatch
                onClear={() => {
                  setTyped('');
                  find('');
                }}
              />
            )
          }
          idOf={({ id }) => id}
        >
          {(key) => <KeyRow record={key} />}
        </Entries>
      </Stack>
    </Page>
  );
}

function NewKeyLink() {
  const { t } = useTranslation();
  const { pages } = useOwner();
  return (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to={`${pages}/keys/new`} {...props} />}
    >
      {t('keys.new')}
    </Button>
  );
}

function Nothing() {
  const { t } = useTranslation();
  return (
    <Stack gap="xs">
      <Text>{t('keys.empty')}</Text>
      <Text size="sm" c="dimmed">
        {t('keys.empty_more')}
      </Text>
    </Stack>
  );
}

function NoMatch({ onClear }: { onClear(): void }) {
  const { t } = useTranslation();
  return (
    <Stack align="start">
      <Text>{t('keys.no_match')}</Text>
      <Button variant="default" onClick={onClear}>
        {t('keys.clear_filter')}
      </Button>
    </Stack>
  );
}

function KeyRow({ record }: { record: Key }) {
  const { t } = useTranslation();
  const page: string = `${useOwner().pages}/keys/${record.id}`;
  return (
    <Link to={page} className="list-row columns">
      <Row
        name={
          <>
            <bdi>{record.name}</bdi>{' '}
            {record.status === 'expired' && (
              <Badge size="sm" color="red" variant="light">
                {t('keys.expired')}
              </Badge>
            )}
          </>
        }
        about={
          <>
            <Text span ff="monospace">
              {record.secret_prefix}…
            </Text>{' '}
            · <KeyPlace record={record} />
          </>
        }
        end={
          record.last_used_at === null ? t('keys.never_used') : <Moment at={record.last_used_at} />
        }
      >
        <Fact>{kindsOf(record.mcp_capabilities, t)}</Fact>
      </Row>
    </Link>
  );
}
