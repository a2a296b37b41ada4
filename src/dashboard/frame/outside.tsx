import { Anchor, Container, Group, Paper, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Mark } from './mark.tsx';
import { OfflineBanner } from './offline-banner.tsx';

/** The frame of pages without a session: one card with a title. */
export function Outside({ title, children }: { title: string; children: ReactNode }) {
  useDocumentTitle(`${title} – toolgate`);
  return (
    <Container size={512} w="100%" py="md" component="main" className="outside">
      <Group justify="space-between" mb="md">
        <Anchor href="/" className="brand" underline="never" c="inherit">
          <Mark />
          <Text fw={600} span>
            toolgate
          </Text>
        </Anchor>
        <Text size="sm" c="dimmed">
          <bdi dir="ltr">{location.host}</bdi>
        </Text>
      </Group>
      <OfflineBanner />
      <Paper className="card" p={{ base: 'md', sm: 'xl' }}>
        <Title order={1} mb="md">
          {title}
        </Title>
        {children}
      </Paper>
    </Container>
  );
}
