import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Block, commandsOf, isScript, isShell, PROJECT } from './page.ts'
import { DEFAULT_PORT, withPorts } from './ports.ts'
import { programs, Script, writePocketBaseData } from './script.ts'
import { differences, isError, readValues } from './shape.ts'
import { isEndless, type Outcome, Shell } from './shell.ts'

/** What a clone has that a reader's commands never write into. */
const NOT_CLONED = new Set(['.git', '.ci', 'coverage', 'data', 'test'])
/** Of this process' environment, what a reader's terminal has, too; and where compiled code is kept. */
const KEPT = ['PATH', 'LANG', 'TMPDIR', 'USER', 'LOGNAME', 'TERM', 'NODE_COMPILE_CACHE']

/** A reader's desk: a clone of the project and a home of their own. */
export interface ReaderEnvironment {
  /** The clone, where commands run. */
  readonly clone: string
  /** Where the runner keeps what it writes. */
  readonly scratch: string
  readonly env: NodeJS.ProcessEnv
  clear(): void
}

/** The same desk for another reader, with notes of their own: what runs there goes on. */
const joinDesk = (desk: ReaderEnvironment): ReaderEnvironment => ({
  ...desk,
  scratch: mkdtempSync(join(desk.scratch, 'page-')),
})

/** An empty desk, or one as `from` stands: nothing may run at that one. */
async function setUpEnvironment(
  ports: ReadonlyMap<string, string>,
  from?: ReaderEnvironment,
): Promise<ReaderEnvironment> {
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-docs-'))
  const [clone, scratch, home] = ['clone', 'scratch', 'home'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(scratch)
  if (from) {
    cpSync(from.clone, clone, { recursive: true, verbatimSymlinks: true })
    cpSync(String(from.env.HOME), home, { recursive: true })
  } else {
    makeClone(clone)
    makeHome(home)
  }
  return {
    clone,
    scratch,
    env: { ...kept(), HOME: home, PORT: ports.get(DEFAULT_PORT), NO_COLOR: '1' },
    clear: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Everything of the project, by links; `npm` reads a real package.json. */
function makeClone(clone: string): void {
  mkdirSync(clone)
  for (const name of readdirSync(PROJECT)) {
    if (!NOT_CLONED.has(name)) symlinkSync(join(PROJECT, name), join(clone, name))
  }
}

/** curl fails on an answer of 400 and more, so that an example cannot go wrong silently. */
function makeHome(home: string): void {
  mkdirSync(home)
  writeFileSync(join(home, '.curlrc'), 'fail-with-body\n')
}

const kept = () =>
  Object.fromEntries(
    KEPT.filter((name) => process.env[name]).map((name) => [name, process.env[name]]),
  )

/** curl's exit code for an answer of 400 and more. */
const CURL_REFUSED = 22

/**
 * Somebody who goes through a page from top to bottom, at a desk of their own, and does what its blocks say.
 */
export class Reader {
  readonly #ports: ReadonlyMap<string, string>
  readonly #environment: ReaderEnvironment
  readonly #shell: Shell
  readonly #scripts = new Map<Block, Script>()

  /** What a page tells a reader to do by hand, by the comment that says it to us. */
  readonly #manually: Readonly<Record<string, () => Promise<void>>> = {
    'reader: Ctrl-C': () => this.#shell.interrupt(),
    'reader: has pb_data': () => writePocketBaseData(join(this.#environment.clone, 'pb_data')),
  }

  private constructor(
    ports: ReadonlyMap<string, string>,
    environment: ReaderEnvironment,
    blocks: readonly Block[],
    hasNpx: boolean,
  ) {
    this.#ports = ports
    this.#environment = environment
    this.#shell = new Shell(environment.clone, environment.scratch, environment.env, { hasNpx })
    this.#planScripts(blocks.filter(isScript))
  }

  /**
   * Sits down: at an empty desk, at a copy of one as another reader left it (`from`), or beside the reader of
   * `at`, whose server and phone run. `hasNpx`: see Shell.
   */
  static async sitDown(
    blocks: readonly Block[],
    ports: ReadonlyMap<string, string>,
    {
      from,
      at,
      hasNpx = false,
    }: { from?: ReaderEnvironment; at?: ReaderEnvironment; hasNpx?: boolean } = {},
  ): Promise<Reader> {
    const environment = at ? joinDesk(at) : await setUpEnvironment(ports, from)
    return new Reader(ports, environment, blocks, hasNpx)
  }

  get desk(): ReaderEnvironment {
    return this.#environment
  }

  #planScripts(blocks: readonly Block[]): void {
    let done = 0
    for (const [index, texts] of programs(
      blocks.map(({ text }) => withPorts(text, this.#ports)),
    ).entries()) {
      const own = blocks.slice(done, done + texts.length)
      done += texts.length
      const script = new Script(
        `program-${index + 1}.${own.some(({ language }) => language === 'ts') ? 'mts' : 'mjs'}`,
        texts,
      )
      for (const block of own) this.#scripts.set(block, script)
    }
  }

  /**
   * Does one block, and compares what it wrote with `shown`, the JSON block that follows it. Throws an error
   * with the block's output when it fails, or shows something else.
   */
  async do(block: Block, shown?: Block): Promise<void> {
    for (const note of block.notes) await this.#doByHand(note)
    const expected = shown && readValues(shown.text)
    const refused = expected?.some(isError) ?? false
    const outcome = await this.#run(block, refused)
    const place = `${block.page}:${block.line}`
    if (outcome.status !== (refused && isShell(block) ? CURL_REFUSED : 0))
      throw new Error(`${place} ended with status ${outcome.status}.\n${outcome.out}${outcome.err}`)
    if (!expected) return
    const faults = differencesOfAll(expected, readValues(outcome.out))
    if (faults.length > 0) throw new Error(`${place}: ${faults.join('; ')}\n${outcome.out}`)
  }

  async #doByHand(note: string): Promise<void> {
    const deed = this.#manually[note]
    if (!deed && note.startsWith('reader:'))
      throw new Error(`No reader knows what this means: ${note}`)
    await deed?.()
  }

  async #run(block: Block, mayFail: boolean): Promise<Outcome> {
    const script = this.#scripts.get(block)
    if (script)
      return script.runNext(
        this.#environment.clone,
        this.#environment.scratch,
        await this.#shell.environment(),
      )
    const text = withPorts(commandsOf(block), this.#ports)
    return isEndless(text) ? this.#shell.start(text) : this.#shell.run(text, mayFail)
  }

  /** What sets the named variables of the terminal again. */
  async variables(names: readonly string[]): Promise<string> {
    return (await this.#shell.run(`declare -p ${names.join(' ')}`)).out
  }

  /** Types something that is on no page. */
  async type(text: string): Promise<void> {
    await this.#shell.run(text)
  }

  /** Ends whatever runs; the desk stays as it is. */
  async getUp(): Promise<void> {
    for (const script of new Set(this.#scripts.values())) script.stop()
    await this.#shell.close()
  }
}

function differencesOfAll(shown: readonly unknown[], actual: readonly unknown[]): string[] {
  if (shown.length !== actual.length)
    return [`the page shows ${shown.length} values, not ${actual.length}`]
  return shown.flatMap((value, index) => differences(value, actual[index]))
}
