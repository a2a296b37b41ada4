#!/usr/bin/env node
// The toolgate command; runs on any Node, because the launcher finds the version it needs.
process.argv.splice(2, 0, 'src/cli/main.ts');
await import('../../stack/run.mjs');
