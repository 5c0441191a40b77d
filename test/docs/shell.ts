import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 120_000
const STOP_MS = 15_000

/**
 * How a reader's shell differs here. Any command that fails ends the block, answers of 400 and more count as
 * failures (.curlrc), and a name that nothing has set is an error. `npm ci` has been done; `npm install`
 * looks whether the package is there.
 */
const MANNERS = `
set -euo pipefail
shopt -s inherit_errexit
npm() {
  case "$1" in
    ci) echo 'npm ci: node_modules are there' ;;
    i | install)
      shift
      for name in "$@"; do
        [[ $name = -* || -d node_modules/$name ]] || { echo "$name is not installed" >&2; return 1; }
      done ;;
    *) command npm "$@" ;;
  esac
}
`

/**
 * `npx pocketsms` and the agent that a server offers, without npm, which takes longer than most commands: the
 * program of the clone.
 */
const withoutNpx = (clone: string) => `
npx() {
  case "$*" in
    pocketsms\\ *) command node '${clone}/bin/pocketsms.js' "\${@:2}" ;;
    -y\\ *agent.tgz\\ *) command node '${clone}/bin/pocketsms.js' agent "\${@:3}" ;;
    *) command npx "$@" ;;
  esac
}
`

/** Commands that run until the reader presses Ctrl-C, and what they say when they are ready. */
const ENDLESS: readonly (readonly [command: RegExp, ready: RegExp])[] = [
  [/npm (start|run serve)\b|pocketsms(\.js)? serve\b/, /listens on /],
  [/npm run demo\b/, /the superuser: /],
  [/(pocketsms(\.js)? agent|agent\.tgz) (run|start)\b/, /\d\d:\d\d:\d\d /],
]

/** What a block wrote, and the status of its last command. */
export interface Outcome {
  readonly status: number
  readonly out: string
  readonly err: string
}

/** A terminal in which the blocks of a page run one after the other: variables and folders stay. */
export class Shell {
  readonly #bash: ChildProcess
  readonly #folder: string
  readonly #running: { pid: number; stop(): Promise<void> }[] = []
  #said = ''
  #blocks = 0

  /** `folder` is where it starts; what blocks write is kept in `scratch`. */
  constructor(folder: string, scratch: string, env: NodeJS.ProcessEnv, { hasNpx = true } = {}) {
    this.#folder = scratch
    this.#bash = spawn('bash', ['--noprofile', '--norc'], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
    })
    this.#bash.stdin!.on('error', () => {}) // it has ended: #ask says so
    this.#bash.stdio[3]!.on('data', (chunk: Buffer) => {
      this.#said += chunk
    })
    this.#bash.stdin!.write(hasNpx ? MANNERS : MANNERS + withoutNpx(folder))
  }

  /**
   * Runs a block. `mayFail`: its failure is answered, else the terminal ends with it. Throws when it takes
   * too long.
   */
  async run(text: string, mayFail = false): Promise<Outcome> {
    const file = this.#write(text)
    const block = `{ . ${file}.sh; } >${file}.out 2>${file}.err </dev/null`
    const status = await this.#ask(
      mayFail
        ? `${block} && status=0 || status=$?; echo "$status;" >&3`
        : `${block}; echo '0;' >&3`,
    )
    return { status: Number(status), ...this.#read(file) }
  }

  /** Starts a block that does not end by itself, as in a terminal of its own, and waits until it is ready. */
  async start(text: string): Promise<Outcome> {
    const file = this.#write(text)
    const pid = Number(
      await this.#ask(
        `set -m; ( . ${file}.sh ) >${file}.out 2>${file}.err </dev/null & set +m; echo "$!;" >&3`,
      ),
    )
    this.#running.push({ pid, stop: () => stopGroup(pid) })
    const ready = endlessCommand(text)?.[1]
    for (const end = Date.now() + PATIENCE_MS; ; await sleep(50)) {
      const isOver = !isAlive(pid) // asked first: what it wrote until then is read
      const { out, err } = this.#read(file)
      if (!ready || ready.test(out)) return { status: 0, out, err }
      if (isOver) return { status: 1, out, err }
      if (Date.now() > end) return { status: 1, out, err: `${err}\nIt is not ready yet.` }
    }
  }

  /** Ctrl-C in each terminal in which something runs, the newest first. */
  async interrupt(): Promise<void> {
    for (const { stop } of this.#running.splice(0).reverse()) await stop()
  }

  /** The variables that a program started here would get. */
  async environment(): Promise<NodeJS.ProcessEnv> {
    const { out } = await this.run('env -0')
    const pairs = out.split('\0').filter((pair) => pair.includes('='))
    return Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    )
  }

  async close(): Promise<void> {
    await this.interrupt()
    this.#bash.stdin!.end()
    if (this.#bash.pid) await stopGroup(this.#bash.pid)
  }

  #write(text: string): string {
    const file = join(this.#folder, `block-${++this.#blocks}`)
    writeFileSync(`${file}.sh`, text)
    return file
  }

  #read(file: string): { out: string; err: string } {
    return { out: contentOf(`${file}.out`), err: contentOf(`${file}.err`) }
  }

  /** Has a line run that says one word and `;` at its end. '1' when the terminal ended instead. */
  async #ask(line: string): Promise<string> {
    this.#said = ''
    if (this.#bash.exitCode === null) this.#bash.stdin!.write(`${line}\n`)
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(10)) {
      if (this.#said.includes(';')) return this.#said.slice(0, this.#said.indexOf(';'))
      if (this.#bash.exitCode !== null) return String(this.#bash.exitCode || 1)
    }
    throw new Error(`This takes longer than ${PATIENCE_MS / 1000} s: ${line}`)
  }
}

const endlessCommand = (text: string) => ENDLESS.find(([command]) => command.test(lastLine(text)))

/**
 * Whether a block runs until somebody stops it: its last line starts a server or an agent, and not in the
 * background.
 */
export const isEndless = (text: string): boolean => endlessCommand(text) !== undefined

function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() && !line.startsWith('#'))
  return lines.at(-1)?.trimEnd().endsWith('&') ? '' : (lines.at(-1) ?? '')
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // the terminal has not come that far
  }
}

/** SIGTERM to all processes of a group, SIGKILL to those that stay. */
async function stopGroup(pid: number): Promise<void> {
  signalGroup(pid, 'SIGTERM')
  for (const end = Date.now() + STOP_MS; Date.now() < end; await sleep(20)) {
    if (!isAlive(-pid)) return
  }
  signalGroup(pid, 'SIGKILL')
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // it has ended
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
