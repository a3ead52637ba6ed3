#!/usr/bin/env node
// Command line entry. It checks the version of Node before it loads anything that an old one cannot; cli/run.ts does the rest.
export {}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `geth-reader: this is Node ${process.versions.node}, and geth-reader needs Node 20.19 or later`,
  )
  console.error(
    'install a newer one from https://nodejs.org, or run: npx node@22 "$(command -v geth-reader)"',
  )
  process.exitCode = 1
} else {
  await (await import('./cli/run.js')).runCommandLine(process.argv.slice(2))
}
