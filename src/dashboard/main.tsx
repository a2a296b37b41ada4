import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './style.css';
import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './api/queries.ts';
import { Direction } from './frame/direction.tsx';
import { Reauthentication } from './frame/reauthentication.tsx';
import { SessionEnded } from './frame/session-ended.tsx';
import { theme } from './frame/theme.ts';
import { createAppRouter } from './router.tsx';
import { startTexts } from './texts/texts.ts';

const queries = createQueries();
const router = createAppRouter(queries);

await startTexts();
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <Direction>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        colorSchemeManager={localStorageColorSchemeManager({ key: 'toolgate-color-scheme' })}
      >
        <QueryClientProvider client={queries}>
          <Notifications position="bottom-right" />
          <RouterProvider router={router} />
          <Reauthentication />
          <SessionEnded />
        </QueryClientProvider>
      </MantineProvider>
    </Direction>
  </StrictMode>,
);
