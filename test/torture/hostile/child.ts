import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

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
