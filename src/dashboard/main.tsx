import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import 'virtual:look.css';
import './style.css';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './api/queries.ts';
import { Direction } from './frame/direction.tsx';
import { Look } from './frame/look.tsx';
import { Reauthentication } from './frame/reauthentication.tsx';
import { SessionEnded } from './frame/session-ended.tsx';
import { createAppRouter } from './router.tsx';
import { startTexts } from './texts/texts.ts';

const queries = createQueries();
const router = createAppRouter(queries);

await startTexts();
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <Direction>
      <Look>
        <QueryClientProvider client={queries}>
          <Notifications position="bottom-right" />
          <RouterProvider router={router} />
          <Reauthentication />
          <SessionEnded />
        </QueryClientProvider>
      </Look>
    </Direction>
  </StrictMode>,
);
