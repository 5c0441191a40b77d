import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { UserError } from '../api-errors.ts'

const MAX_TRIES = 3

/** Creates a lock file. Returns a function to remove it. Throws a UserError if a running process has it. */
export function lockFile(file: string, taken: (owner: number) => string): () => void {
  for (let tries = 1; ; tries++) {
    try {
      writeFileSync(file, `${process.pid} ${readProcessStart(process.pid)}`, {
        flag: 'wx',
        mode: 0o600,
      })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries === MAX_TRIES) throw error
      const [id = '', start = ''] = readFileSync(file, 'utf8').split(' ')
      const owner = Number(id)
      if (isProcessAlive(owner) && isSameProcess(start, readProcessStart(owner)))
        throw new UserError(taken(owner))
      rmSync(file, { force: true })
    }
  }
}

function isProcessAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A process's start in clock ticks since boot; '' if there is no /proc. proc(5), /proc/pid/stat */
function readProcessStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // the program's name, in brackets, may contain any character; the start is the 20th word after it
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

const isSameProcess = (one: string, other: string) => one === '' || other === '' || one === other
