import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECT } from './page.ts'
import { DEFAULT_PORT } from './ports.ts'

/** What a clone has that a reader's commands never write into. */
const NOT_CLONED = new Set(['.git', '.ci', 'coverage', 'data', 'test'])
/** Of this process' environment, what a reader's terminal has, too. */
const KEPT = ['PATH', 'LANG', 'TMPDIR', 'USER', 'LOGNAME', 'TERM']

/** A reader's desk: a clone of the project and a home of their own. */
export interface ReaderEnvironment {
  /** The clone, where commands run. */
  readonly clone: string
  /** Where the runner keeps what it writes. */
  readonly scratch: string
  readonly env: NodeJS.ProcessEnv
  clear(): void
}

/** An empty desk, or one as `from` stands: nothing may run at that one. */
export async function setUpEnvironment(
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
  Object.fromEntries(KEPT.filter((name) => process.env[name]).map((name) => [name, process.env[name]]))
