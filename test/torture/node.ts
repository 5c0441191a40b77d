import { type RunningProgram, serve } from '../support/server/program.ts'

/** A server as a process of its own: it is killed and started again at the same address. */
export class ServerNode {
  readonly url: string
  readonly #env: Readonly<Record<string, string>>
  readonly #home: string | undefined
  #program: RunningProgram | undefined
  /** What a stopped program wrote. */
  #written = ''

  /** `home`: the folder of another version. */
  constructor(port: number, env: Readonly<Record<string, string>>, home?: string) {
    this.#home = home
    this.url = `http://127.0.0.1:${port}`
    this.#env = { ...env, HOST: '127.0.0.1', PORT: String(port) }
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    this.#program = await serve(this.#env, this.#home)
  }

  get pid(): number {
    return this.#program?.pid ?? 0
  }

  /** Throws with what it wrote when it ended without being told to. */
  checkAlive(): void {
    if (this.#program?.hasEnded())
      throw new Error(`The server died by itself.\n${this.#program.output()}`)
  }

  /** The last lines of its log that tell of a fault of its own. */
  failures(): string[] {
    const lines = (this.#program?.output() ?? this.#written).split('\n')
    return lines.filter((line) => line.includes('"msg":"a request failed"')).slice(-2)
  }

  /** SIGKILL: nothing is finished, nothing is said. */
  async kill(): Promise<void> {
    if (!this.#program) return
    process.kill(this.#program.pid, 'SIGKILL')
    await this.#program.stop()
    this.#program = undefined
  }

  async stop(): Promise<void> {
    await this.#program?.stop()
    this.#written = this.#program?.output() ?? ''
    this.#program = undefined
  }
}
