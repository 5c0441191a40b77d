import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pairAgent } from '../../src/programs/agent/pair-agent.ts'
import { CLI } from '../support/server/program-files.ts'

/** Milliseconds that a sending takes, and its delivery report after it. */
const LAG_MS = 15
const DELIVERY_MS = 40

/** A line of what a phone sent. */
export interface SentLine {
  readonly id: string
  readonly attempt: number
  readonly to: string
}

/** A simulated phone as a process of its own, with a file of what it sent that outlives it. */
export class Phone {
  readonly device: string
  readonly token: string
  readonly #state: string
  readonly #driver: readonly string[]
  #child: ChildProcess | undefined

  private constructor(
    device: string,
    token: string,
    state: string,
    driver: readonly string[] = [],
  ) {
    this.device = device
    this.token = token
    this.#state = state
    this.#driver = driver
  }

  /** Joins the server at `url` with a code; its files are in `folder`. It is off yet. `driver`: options. */
  static async pair(
    url: string,
    code: string,
    folder: string,
    name: string,
    driver?: readonly string[],
  ) {
    const state = join(folder, `${name}.json`)
    const paired = await pairAgent(
      url,
      code,
      { name, platform: 'simulator', phone: '' },
      () => state,
    )
    return new Phone(paired.device, paired.token, state, driver)
  }

  /** Switches it on. */
  start(): void {
    const lag = ['--lag', String(LAG_MS), '--delivery', String(DELIVERY_MS)]
    const options = ['--state', this.#state, '--sent-file', this.#sentFile, ...lag, ...this.#driver]
    const args = [CLI, 'agent', 'run', ...options]
    const child = spawn(process.execPath, args, { stdio: 'ignore' })
    const kill = () => child.kill('SIGKILL')
    process.once('exit', kill)
    child.once('exit', () => process.off('exit', kill))
    this.#child = child
  }

  kill = (): Promise<void> => this.#end('SIGKILL')

  stop = (): Promise<void> => this.#end('SIGTERM')

  /** All that it ever sent. */
  sent(): SentLine[] {
    if (!existsSync(this.#sentFile)) return []
    const lines = readFileSync(this.#sentFile, 'utf8').split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line))
  }

  get #sentFile(): string {
    return `${this.#state}.sent`
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
}
