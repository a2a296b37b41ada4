import './frame/library-styles.css';
import 'virtual:look.css';
import './style.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './api/queries.ts';
import { Direction } from './frame/direction.tsx';
import { Look } from './frame/look.tsx';
import { LayersOnDemand } from './frame/layers-on-demand.tsx';
import { createAppRouter } from './router.tsx';
import { startTexts } from './texts/texts.ts';

const queries = createQueries();
const router = createAppRouter(queries);

// Not a top-level `await`: the files of texts import this one, and would wait for it in turn.
void startTexts().then(() => {
  createRoot(document.querySelector('#root')!).render(
    <StrictMode>
      <Direction>
        <Look>
          <QueryClientProvider client={queries}>
            <RouterProvider router={router} />
            <LayersOnDemand />
          </QueryClientProvider>
        </Look>
      </Direction>
    </StrictMode>,
  );
});
