import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Embedded, openEmbedded } from '../../../src/db/embedded/embedded.ts'
import { createLogger } from '../../../src/log.ts'
import { onServer } from './postgres.ts'

const USER = fileURLToPath(new URL('embedded-user.ts', import.meta.url))

/** Opens the embedded database of a folder in this process; `log` gets its messages. */
export function openHere(folder: string, log: string[] = []): Promise<Embedded> {
  const write = (line: string) => void log.push(String(JSON.parse(line).msg))
  return openEmbedded(folder, createLogger({ logLevel: 'info' }, { write }), { fsync: 'off' })
}

/** The same in a process of its own, which `options` may give another environment or user. */
export async function openElsewhere(
  folder: string,
  options: SpawnOptions = {},
): Promise<{ child: ChildProcess; url: string; said: string }> {
  const child = spawn(process.execPath, [USER, folder], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = text(child.stderr!)
  const [url] = await Promise.race([once(child.stdout!, 'data'), once(child, 'close').then(() => [''])])
  return { child, url: String(url).trim(), said: url ? '' : await said }
}

/** The error with which the database of a folder does not open. */
export const refusalOf = (folder: string): Promise<string> =>
  openHere(folder).then(
    () => 'it opened',
    (error: Error) => error.message,
  )

export const postmasterIn = (folder: string): number =>
  Number.parseInt(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8'), 10)

/** Whether a process runs; one that nobody waits for stays as a zombie (`Z`). */
export const isRunning = (pid: number): boolean =>
  /^[^Z\s]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout)

/** What one statement gives, on a connection of its own. */
export async function ask(url: string, sql: string): Promise<unknown[]> {
  const { rows } = await onServer(url, sql)
  return rows.map((row) => Object.values(row)[0])
}
