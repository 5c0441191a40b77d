import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/database/temporary-folder.ts'

const HOME = join(dirname(fileURLToPath(import.meta.url)), '../..')
const { dependencies } = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8'))

const folder = temporaryFolder()
const modules = join(folder, 'node_modules')
const installed = join(modules, 'pocketsms')

/** The package as `npm publish` would send it, in a folder that has its dependencies and nothing else. */
beforeAll(() => {
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: HOME, stdio: 'pipe', encoding: 'utf8' })
  npm('run', '-s', 'prepack')
  // the console is built already: building it once more would take it away from other tests
  const packed = npm('pack', '--ignore-scripts', '--json', '--pack-destination', folder)
  mkdirSync(installed, { recursive: true })
  const file = join(folder, JSON.parse(packed)[0].filename)
  execFileSync('tar', ['-xzf', file, '--strip-components=1', '-C', installed])
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(HOME, 'node_modules', name), join(modules, name))
  }
})
const started: ChildProcess[] = []
afterAll(async () => {
  for (const child of started) child.kill('SIGTERM')
  await Promise.all(
    started.map((child) => child.exitCode === null && child.signalCode === null && once(child, 'close')),
  )
})

const PATIENCE = { timeout: 60_000 }

function start(data: string, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [join(installed, 'bin/pocketsms.js'), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, DATA_DIR: join(folder, data), PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  return child
}

/** What it has written by the time that `found` finds something in it, or it has ended. */
async function read(child: ChildProcess, found: RegExp): Promise<string> {
  let output = ''
  const keep = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout!.on('data', keep)
  child.stderr!.on('data', keep)
  let hasEnded = false
  child.once('close', () => {
    hasEnded = true
  })
  await expect.poll(() => hasEnded || found.test(output), PATIENCE).toBe(true)
  return output
}

describe('the package that npm publishes', () => {
  test('has the program, its data and the console, and nothing of its making', () => {
    const has = (name: string) => existsSync(join(installed, name))
    const wanted = [
      'dist/server/cli.js',
      'dist/collections/definition/builtin.json',
      'sql/migrations/0001_start.sql',
      'README.md',
    ]
    expect(wanted.filter((name) => !has(name))).toEqual([])
    expect(has('grammar/filter.peggy') && has('console/dist/index.html')).toBe(true)
    expect(['src', 'test', 'bench', 'package', 'console/src'].filter(has)).toEqual([])
  })

  test('serves the API and the console', async () => {
    const child = start('served', ['serve'])
    const ended = once(child, 'close')
    const output = await read(child, /listens on \S+/)
    const [, url] = /listens on (\S+)/.exec(output) ?? []
    expect(url, output).toBeDefined()
    const [health, page, docs] = await Promise.all(
      ['/api/health', '/', '/docs'].map(async (path) => (await fetch(url + path)).text()),
    )
    expect(health).toContain('API is healthy.')
    const [asset] = /assets\/[\w.-]+\.js/.exec(page!) ?? []
    expect((await fetch(`${url}/${asset}`)).status).toBe(200)
    expect(docs).toContain('swagger')
    child.kill('SIGTERM')
    expect((await ended)[0]).toBe(0)
  })

  test.each([
    ['superuser', ['superuser', 'upsert', 'ann@example.com', 'a-long-password'], /is saved/],
    ['agent', ['agent', 'run', '--state', 'nowhere.json'], /Pair first/],
    ['openapi', ['openapi'], /"openapi":\s*"3\.1/],
  ])('has the command %s', async (_, args, said) => {
    expect(await read(start('used', args), said)).toMatch(said)
  })
})
