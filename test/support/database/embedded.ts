import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Embedded, openEmbedded } from '../../../src/platform/db/embedded/embedded.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { onServer } from './postgres.ts'
import { temporaryFolder } from './temporary-folder.ts'

const USER = fileURLToPath(new URL('embedded-user.ts', import.meta.url))

/** Opens the embedded database of a folder in this process; `log` gets its messages. */
export function openHere(folder: string, log: string[] = []): Promise<Embedded> {
  const write = (line: string) => {
    const { msg, err } = JSON.parse(line)
    log.push(err ? `${msg}: ${err.message}` : msg)
  }
  const pulse = { everyMs: 200, answerMs: 1_000 }
  return openEmbedded(
    folder,
    createLogger({ logLevel: 'info' }, { write }),
    { fsync: 'off' },
    pulse,
  )
}

/** The same in a process of its own, with another environment or user by `options`, or mounts by `prefix`. */
export async function openElsewhere(
  folder: string,
  options: SpawnOptions = {},
  prefix: readonly string[] = [],
): Promise<{ child: ChildProcess; url: string; said: string }> {
  const [command, ...args] = [...prefix, process.execPath, USER, folder]
  const child = spawn(command!, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = text(child.stderr!)
  const [url] = await Promise.race([
    once(child.stdout!, 'data'),
    once(child, 'close').then(() => ['']),
  ])
  return { child, url: String(url).trim(), said: url ? '' : await said }
}

/** For `prefix`: runs a command after a script of `mount`s that no other process sees. */
export const inMounts = (script: string): string[] => [
  '/usr/bin/unshare',
  '-m',
  'sh',
  '-c',
  `${script} && exec "$@"`,
  'sh',
]

/** Whether this process may mount file systems. */
export const canMount = (): boolean => {
  const [command, ...args] = inMounts('mount -t tmpfs none /mnt')
  return spawnSync(command!, [...args, 'true'], { stdio: 'ignore' }).status === 0
}

/** An environment in which user namespaces are forbidden, as in a default container. */
export function withoutNamespaces(): NodeJS.ProcessEnv {
  const folder = openFolder()
  writeFileSync(join(folder, 'unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  return { ...process.env, PATH: `${folder}:${process.env.PATH}` }
}

/** A folder that other accounts may enter. */
export function openFolder(): string {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  return folder
}

/** The error with which the database of a folder does not open. */
export const refusalOf = (folder: string): Promise<string> =>
  openHere(folder).then(
    () => 'it opened',
    (error: Error) => error.message,
  )

export const postmasterIn = (folder: string): number =>
  Number.parseInt(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8'), 10)

/** Whether a process runs. One that ends, or waits to be noticed, has no command line: `[postgres]`. */
export const isRunning = (pid: number): boolean =>
  /^[^[\s]/.test(spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout)

/** What one statement gives, on a connection of its own. */
export async function ask(url: string, sql: string): Promise<unknown[]> {
  const { rows } = await onServer(url, sql)
  return rows.map((row) => Object.values(row)[0])
}
