import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { UserError } from './errors.ts'

const MAX_TRIES = 3

/**
 * Takes what only one process at a time may have, by a file with its id in it, and answers what gives it back. One that
 * was left behind by a process which is no more does not count. Throws a UserError with what `taken` says of the owner.
 */
export function lockFile(file: string, taken: (owner: number) => string): () => void {
  for (let tries = 1; ; tries++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries === MAX_TRIES) throw error
      const owner = Number(readFileSync(file, 'utf8'))
      if (isAlive(owner)) throw new UserError(taken(owner))
      rmSync(file, { force: true })
    }
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
