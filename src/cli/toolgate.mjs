#!/usr/bin/env node
// The toolgate command on whichever Node is there: the launcher brings the one it needs.
process.argv.splice(2, 0, 'src/cli/main.ts');
await import('../stack/run.mjs');
