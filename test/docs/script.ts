import { type ChildProcess, fork } from 'node:child_process'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashPassword } from '../../src/engine/fields/bcrypt.ts'
import { ID, type SourceCollection, USERS, writeSource } from '../engine/import/pocketbase-data.ts'
import type { Outcome } from './shell.ts'

const PATIENCE_MS = 60_000

/** Makes a program wait between two of its blocks, until the reader has come to the next one. */
const PAUSES = `data:text/javascript,${encodeURIComponent(`
globalThis.untilTheReaderComesTo = (block) => new Promise((resolve) => {
  process.on('message', (wanted) => wanted === block && resolve())
  process.send(block)
})`)}`

/**
 * JavaScript blocks that are one program: what one declares, the next may use. The blocks run one by one,
 * when the reader comes to them, so that what the shell does in between has happened.
 */
export class Script {
  readonly #blocks: readonly string[]
  readonly #file: string
  #child: ChildProcess | undefined
  #next = 0

  constructor(file: string, blocks: readonly string[]) {
    this.#file = file
    this.#blocks = blocks
  }

  /**
   * Runs the next block, in `folder` and with `env` if it is the first. Waits for its top level, not for its
   * timers and subscriptions.
   */
  async runNext(folder: string, scratch: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
    const block = ++this.#next
    const [out, err] = ['out', 'err'].map((name) => join(scratch, `${this.#file}.${name}`)) as [
      string,
      string,
    ]
    const before = this.#child ? [sizeOf(out), sizeOf(err)] : [0, 0]
    if (this.#child) this.#child.send(block - 1)
    else this.#start(folder, out, err, env)
    const status = await this.#end(block)
    return {
      status,
      out: readFileSync(out, 'utf8').slice(before[0]),
      err: readFileSync(err, 'utf8').slice(before[1]),
    }
  }

  stop(): void {
    this.#child?.kill('SIGKILL')
  }

  #start(folder: string, out: string, err: string, env: NodeJS.ProcessEnv): void {
    const text = this.#blocks
      .map((block, index) => `${block}\n;await untilTheReaderComesTo(${index + 1})\n`)
      .join('')
    const path = join(folder, this.#file)
    writeFileSync(path, text)
    const stdio: ['ignore', number, number, 'ipc'] = [
      'ignore',
      openSync(out, 'w'),
      openSync(err, 'w'),
      'ipc',
    ]
    this.#child = fork(path, { cwd: folder, env, execArgv: ['--import', PAUSES], stdio })
  }

  /** Resolves when a block is done: 0, or the exit code of a program that ended before. */
  #end(block: number): Promise<number> {
    const child = this.#child!
    return new Promise((resolve) => {
      const settle = (status: number) => {
        clearTimeout(impatient)
        child.off('message', hear)
        child.off('exit', ended)
        resolve(status)
      }
      const hear = (done: unknown) => done === block && settle(0)
      const ended = (code: number | null) => settle(code || 1)
      const impatient = setTimeout(() => settle(124), PATIENCE_MS)
      child.on('message', hear)
      child.on('exit', ended)
      if (child.exitCode !== null) ended(child.exitCode)
    })
  }
}

const sizeOf = (file: string) => readFileSync(file, 'utf8').length

const IMPORT = /^import\b.*$/gm

/** Blocks by program: one that imports what an earlier one has imported begins a program of its own. */
export function programs(blocks: readonly string[]): string[][] {
  const all: string[][] = []
  let imported = new Set<string>()
  for (const block of blocks) {
    const imports = block.match(IMPORT) ?? []
    if (all.length === 0 || imports.some((line) => imported.has(line))) {
      all.push([])
      imported = new Set()
    }
    for (const line of imports) imported.add(line)
    all.at(-1)!.push(block)
  }
  return all
}

const DORA = 'user00000000001'

const posts: SourceCollection = {
  id: 'pbc_posts',
  name: 'posts',
  rules: ["@request.auth.id != ''", "@request.auth.id != ''", null, null, null],
  fields: [
    ID,
    { id: 'f_title', name: 'title', type: 'text' },
    {
      id: 'f_author',
      name: 'author',
      type: 'relation',
      collectionId: '_pb_users_auth_',
      maxSelect: 1,
    },
    { id: 'f_created', name: 'created', type: 'autodate', onCreate: true },
  ],
  rows: [
    {
      id: 'post00000000001',
      title: 'Hello again',
      author: DORA,
      created: '2024-05-02 10:00:00.000Z',
    },
  ],
}

const secret = (letter: string) => ({ secret: letter.repeat(40), duration: 600 })

const users = async (): Promise<SourceCollection> => ({
  ...USERS,
  rules: ['id = @request.auth.id', 'id = @request.auth.id', '', 'id = @request.auth.id', null],
  options: {
    authToken: secret('a'),
    passwordResetToken: secret('b'),
    emailChangeToken: secret('c'),
    verificationToken: secret('d'),
    fileToken: secret('e'),
    passwordAuth: { enabled: true, identityFields: ['email'] },
  },
  rows: [
    {
      id: DORA,
      email: 'dora@example.com',
      emailVisibility: 1,
      verified: 1,
      password: await hashPassword('doras-password', 4),
      tokenKey: 'k'.repeat(50),
    },
  ],
})

/** A small app's data directory, as PocketBase leaves it behind. */
export async function writePocketBaseData(folder: string): Promise<void> {
  writeSource(folder, { collections: [await users(), posts] })
}
