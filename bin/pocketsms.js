#!/usr/bin/env node
// Runs src/cli.ts on a Node that strips types: this one if it is new enough, else the project's own.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cli = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'cli.ts')
const [major, minor] = process.versions.node.split('.').map(Number)

if (major > 22 || (major === 22 && minor >= 18)) await import(cli)
else {
  const home = dirname(createRequire(import.meta.url).resolve('node/package.json'))
  const child = spawn(join(home, 'bin', 'node'), [cli, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
