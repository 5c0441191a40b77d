import { fork } from 'node:child_process'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { syncParents, syncTree } from './durable-folder.ts'

const INITDB = fileURLToPath(new URL('./initdb.ts', import.meta.url))

/**
 * Makes an empty database in `folder` unless there is one. initdb runs in a process of its own, as it takes
 * 450 MB of memory; it makes and syncs a folder with another name, which then gets the right one: a crash
 * leaves a whole database or none.
 * Throws an Error with what initdb says.
 */
export async function makeFolder(folder: string, isCopy = false): Promise<void> {
  const unfinished = `${folder}.new`
  rmSync(unfinished, { recursive: true, force: true })
  if (existsSync(join(folder, 'PG_VERSION'))) {
    // what an earlier version of pocketsms wrote was never synced
    if (!isCopy) syncTree(folder)
    return
  }
  await runInitdb(unfinished)
  renameSync(unfinished, folder)
  syncParents(folder)
}

function runInitdb(folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(INITDB, [folder], {
      // optimizing Postgres' parser alone takes 600 MB
      execArgv: ['--liftoff-only', '--max-semi-space-size=1'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    let said = ''
    child.stderr?.on('data', (text) => {
      said += text
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(said.trim() || `initdb ended with ${signal ?? code}`))
    })
  })
}
