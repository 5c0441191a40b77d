import { fork } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UserError } from '../errors.ts'
import type { DumpOptions } from './dump.ts'
import type { BackupSummary } from './manifest.ts'

/** What the child process says, one message after another; `done` or `failed` is its last. */
export type ChildMessage =
  | { readonly progress: readonly [step: string, done: number, total: number] }
  | { readonly done: BackupSummary }
  | { readonly failed: string; readonly isUserError: boolean }

const PROGRAM = new URL(`dump-folder${extname(import.meta.url)}`, import.meta.url)

/**
 * Writes a backup of the database in a data folder, in a process of its own: its memory is gone afterwards,
 * and this process goes on answering. The folder is nobody else's. Errors as `dump`.
 */
export function dumpInChild(folder: string, path: string, options: DumpOptions): Promise<BackupSummary> {
  const { progress = () => {}, signal } = options
  const child = fork(fileURLToPath(PROGRAM), [folder, path], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  // it removes what it has written, and ends
  const stop = () => child.connected && child.disconnect()
  return new Promise<BackupSummary>((resolve, reject) => {
    let last: ChildMessage | undefined
    signal?.addEventListener('abort', stop)
    child.on('message', (said: ChildMessage) => {
      last = said
      if ('progress' in said) progress(...said.progress)
    })
    child.once('error', reject)
    child.once('exit', (code, by) => {
      if (signal?.aborted) reject(signal.reason)
      else if (last && 'done' in last) resolve(last.done)
      else if (last && 'failed' in last) reject(errorOf(last.failed, last.isUserError))
      else reject(new Error(`The process that writes the backup ended (${by ?? code}).`))
    })
    if (signal?.aborted) stop()
  }).finally(() => signal?.removeEventListener('abort', stop))
}

const errorOf = (message: string, isUserError: boolean) =>
  isUserError ? new UserError(message) : new Error(message)
