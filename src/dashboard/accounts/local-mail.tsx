import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { serviceQuery } from '../api/service.ts';

/** A local start sends no e-mail: says where to read it. */
export function LocalMail() {
  const { t } = useTranslation();
  const { data } = useQuery(serviceQuery);
  const url = data?.local_mail_url ?? null;
  if (url === null) return null;
  return (
    <Text size="sm">
      {t('local_mail.body')}{' '}
      <Anchor href={url} target="_blank" underline="always">
        {t('local_mail.open')}
      </Anchor>
    </Text>
  );
}
