import './frame/library-styles.css';
import 'virtual:look.css';
import './frame/library-look.css';
import './style.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './api/queries.ts';
import { Direction } from './frame/direction.tsx';
import { Look } from './frame/look.tsx';
import { LayersOnDemand } from './frame/layers-on-demand.tsx';
import { createAppRouter, loadFilesOf } from './router.tsx';
import { startTexts } from './texts/texts.ts';

const queries = createQueries();
const router = createAppRouter(queries);

const texts = startTexts();
// The files of the first page, the profile and the texts are asked for together: one after the
// other, a person would wait for each.
loadFilesOf(router);
void router.load();

// Not a top-level `await`: the files of texts import this one, and would wait for it in turn.
void texts.then(() => {
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
