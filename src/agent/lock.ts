import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { UserError } from '../errors.ts'

/** Keeps a second agent from the same state: it would send what this one sends. Answers what gives it free. */
export function lockState(file: string): () => void {
  const lock = `${file}.pid`
  for (let tries = 0; ; tries++) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 })
      return () => rmSync(lock, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries > 1) throw error
      const owner = Number(readFileSync(lock, 'utf8'))
      if (isAlive(owner)) throw new UserError(`Process ${owner} runs as this device already (${lock}).`)
      rmSync(lock, { force: true })
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
