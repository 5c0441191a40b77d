#!/usr/bin/env node
// Runs the program on a Node that is new enough: this one, else in a clone the project's own. In a clone it
// is src/main/cli.ts, in the package that npm publishes dist/cli.js, which was made of it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// By default Node keeps up to 134 MB for young objects. With 33 MB a loaded server takes 150 MB less and is
// as fast (with 17 MB, lists of 500 records lose a third of their rate). A machine or container of 256 MB has
// no room for them: the system killed a server that made a backup under load.
const memory = Math.min(process.constrainedMemory?.() || totalmem(), totalmem())
const youngMb = memory < 400 * 2 ** 20 ? 4 : 16

// By default the heap of old objects may grow to several times what is in use before it is collected. If it
// may grow by 70 %, a server takes 240 MB instead of 340 and is 5 % slower (by 40 %: a tenth slower, and the
// p99 of views doubles).
// Without the third flag V8 may come to allocate the rows of answers among the old objects at once. Every
// second server did, and then spent a quarter of its time collecting them.
const FLAGS = [
  `--max-semi-space-size=${youngMb}`,
  '--heap-growing-percent=70',
  '--no-allocation-site-pretenuring',
]

const home = join(dirname(fileURLToPath(import.meta.url)), '..')
const cli = ['src/main/cli.ts', 'dist/cli.js'].map((file) => join(home, file)).find(existsSync)
const [major, minor] = process.versions.node.split('.').map(Number)
const isNewEnough = major > 22 || (major === 22 && minor >= 18)

/** The Node of a clone, a devDependency: the package that npm publishes brings none. */
function ownNode() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node')
  } catch {
    process.stderr.write(`pocketsms needs Node 22.18 or later, this is ${process.versions.node}.
Install the current version from https://nodejs.org/en/download, and run the command again.\n`)
    process.exit(1)
  }
}

/**
 * The environment with a folder of the user for code that Node has compiled, which takes half of a start.
 * Without such a folder, or if it cannot be written, each start compiles all of it.
 */
function addCompileCache(env) {
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = env
  const folder = XDG_CACHE_HOME || (HOME && join(HOME, '.cache')) || LOCALAPPDATA
  return folder ? { NODE_COMPILE_CACHE: join(folder, 'pocketsms'), ...env } : env
}

// how many sockets systemd passes to this process, as descriptors from 3 on: sd_listen_fds(3)
const { LISTEN_PID, LISTEN_FDS } = process.env
const sockets = Number(LISTEN_PID) === process.pid ? Number(LISTEN_FDS) : 0

// The GNU C library keeps freed memory in as many arenas as there are threads. Decoding ten pictures of a
// camera left 140 MB there, and with these settings 45 MB. Other C libraries ignore them.
const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_MMAP_THRESHOLD_: '131072',
}

const env = addCompileCache({ ...(memory < 2 ** 30 && ALLOCATOR), ...process.env })
const node = isNewEnough ? process.execPath : ownNode()
const args = [...FLAGS, cli, ...process.argv.slice(2)]

// execve would close the sockets: Node marks all inherited ones
if (process.execve && process.platform !== 'win32' && sockets === 0) {
  // this process becomes the program: nothing stays in memory beside it
  process.execve(node, [node, ...args], env)
}

// the program ends when this process is gone: src/platform/tools/stop-signal.ts
const child = spawn(node, args, {
  stdio: Array.from({ length: 3 + sockets }, () => 'inherit'),
  env: { ...env, POCKETSMS_LAUNCHER: String(process.pid) },
})
// the program may also receive the signal itself, from a terminal or from systemd. Both count as one signal:
// src/platform/tools/stop-signal.ts
for (const signal of ['SIGINT', 'SIGTERM', 'SIGUSR2']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
