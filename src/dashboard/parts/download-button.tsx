import { Button, Stack } from '@mantine/core';
import type { ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { request } from '../api/request.ts';
import { ErrorAlert } from './error-alert.tsx';

/**
 * Downloads a file of the service. The browser saves it while it arrives; since nothing can renew
 * the session then, this is done first.
 */
export function DownloadButton({
  href,
  children,
  ...button
}: { href: string; children: ReactNode } & ButtonProps) {
  const download = useMutation({
    async mutationFn() {
      await request('/api/user/profile');
      const link = document.createElement('a');
      link.href = href;
      link.download = '';
      link.click();
    },
  });
  return (
    <Stack gap="xs" align="start">
      <Button
        variant="default"
        {...button}
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        {children}
      </Button>
      {download.isError && <ErrorAlert error={download.error} />}
    </Stack>
  );
}
