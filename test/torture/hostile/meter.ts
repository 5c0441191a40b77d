import { type ChildProcess, fork } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const EVERY_MS = 100

/** Resident memory of a process in bytes, 0 when it is gone. proc(5), VmRSS */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
}

/** A tick of the clock that proc(5) counts in, on Linux whatever the machine. */
const TICKS_A_SECOND = 100

/** Processor time that a process has taken so far, 0 when it is gone. proc(5), utime and stime */
export async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_A_SECOND
}

/** Bytes of all files below a folder. What goes away meanwhile counts nothing. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Watches a server's memory and temporary files. */
export class Meter {
  readonly #pid: number
  readonly #folder: string
  readonly #limit: number
  #maxRss = 0
  #maxTemporary = 0
  #isOver = false
  #before = { rss: 0, temporary: 0 }
  #running = Promise.resolve()

  /** `maxRss`: a server that has more is killed, as the system kills it in a container. */
  constructor(pid: number, folder: string, maxRss = Number.POSITIVE_INFINITY) {
    this.#pid = pid
    this.#folder = folder
    this.#limit = maxRss
  }

  async start(): Promise<void> {
    this.#before = {
      rss: await residentBytes(this.#pid),
      temporary: await folderBytes(this.#folder),
    }
    this.#running = this.#watch()
  }

  /** By how much they had grown at most. */
  async stop(): Promise<Growth> {
    this.#isOver = true
    await this.#running
    const rss = Math.max(0, this.#maxRss - this.#before.rss)
    return {
      rss,
      peakRss: this.#maxRss,
      temporary: Math.max(0, this.#maxTemporary - this.#before.temporary),
    }
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      this.#maxRss = Math.max(this.#maxRss, await residentBytes(this.#pid))
      if (this.#maxRss > this.#limit) {
        process.kill(this.#pid, 'SIGKILL')
        return
      }
      this.#maxTemporary = Math.max(this.#maxTemporary, await folderBytes(this.#folder))
      await sleep(EVERY_MS)
    }
  }
}

/** Bytes more than before, and the most of memory in all. */
export interface Growth {
  readonly rss: number
  readonly peakRss: number
  readonly temporary: number
}

/** Those that run end with this process. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A program beside this file that runs as a process of its own, spoken to by messages. */
export class Child {
  readonly #process: ChildProcess
  /** Its last message. */
  last: unknown

  constructor(file: string) {
    this.#process = fork(fileURLToPath(new URL(file, import.meta.url)))
    this.#process.on('message', (message) => {
      this.last = message
    })
    running.add(this.#process)
    this.#process.once('exit', () => running.delete(this.#process))
  }

  tell(message: object): void {
    this.#process.send(message)
  }

  /** Its next message; undefined when none comes in time, or when it ends before that. */
  next<T>(withinMs: number): Promise<T | undefined> {
    return new Promise((resolve) => {
      const done = (message?: unknown) => {
        clearTimeout(timer)
        this.#process.off('message', done).off('exit', ended)
        resolve(message as T | undefined)
      }
      const ended = () => done()
      const timer = setTimeout(done, withinMs)
      this.#process.once('message', done).once('exit', ended)
    })
  }

  /** Its exit code when it ends; undefined when the time is over. */
  ended(withinMs: number): Promise<number | null | undefined> {
    if (this.#process.exitCode !== null) return Promise.resolve(this.#process.exitCode)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), withinMs)
      this.#process.once('exit', (code) => {
        clearTimeout(timer)
        resolve(code)
      })
    })
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }
}
