import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import about from '../../package.json' with { type: 'json' }
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { testConfig } from '../support/server/start.ts'

// A command imports its own modules only, and the server what it needs before the first request.

const CLI = fileURLToPath(new URL('../../src/main/cli.ts', import.meta.url))
/** Writes the addresses of all modules that a process has loaded into the file LOADED when it ends. */
const RECORDER = `data:text/javascript,${encodeURIComponent(`
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
const urls = []
registerHooks({
  load(url, context, next) {
    urls.push(url)
    return next(url, context)
  },
})
process.on('exit', () => writeFileSync(process.env.LOADED, urls.join('\\n')))`)}`
const SRC = pathToFileURL(`${fileURLToPath(new URL('../../src/', import.meta.url))}`).href

const databaseUrl = (await testConfig()).databaseUrl!

/** The modules that a command loads until it ends or, if it serves, until it listens. */
async function listLoaded(words: readonly string[]) {
  const folder = temporaryFolder()
  const LOADED = join(folder, 'loaded')
  const settings = { PORT: '0', HOST: '127.0.0.1', DATABASE_URL: databaseUrl }
  const child = spawn(process.execPath, ['--import', RECORDER, CLI, ...words], {
    env: { ...process.env, ...settings, DATA_DIR: folder, LOADED },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout.on('data', (chunk: Buffer) => {
    if (chunk.includes('pocketsms listens')) child.kill('SIGTERM')
  })
  await new Promise((end) => child.once('exit', end))
  const urls = readFileSync(LOADED, 'utf8').split('\n')
  const own = urls.filter((url) => url.startsWith(SRC)).map((url) => url.slice(SRC.length))
  const packages = new Set(
    urls.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? ''),
  )
  const libraries = Object.keys({ ...about.dependencies, ...about.devDependencies })
  return { own, libraries: libraries.filter((name) => packages.has(name)).sort() }
}

/** Libraries for requests that few installations get, or get late. */
const RARE = [
  '@modelcontextprotocol/server',
  'nodemailer',
  'prom-client',
  's3mini',
  'sharp',
  'smtp-server',
  'postal-mime',
  'web-push',
  'zod-openapi',
  'saxes',
  'yauzl',
  'yazl',
]

test.each([
  ['--help', 4, ['citty']],
  ['doctor', 70, ['citty', 'kysely', 'pg', 'pino', 'zod']],
  [
    'superuser list',
    230,
    ['citty', 'croner', 'jose', 'kysely', 'peggy', 'pg', 'pino', 're2js', 'zod'],
  ],
])('%s loads at most %i modules, and these libraries: %j', async (command, most, libraries) => {
  const loaded = await listLoaded(command.split(' '))
  expect(loaded.own.length, loaded.own.join('\n')).toBeLessThanOrEqual(most)
  expect(loaded.libraries).toEqual(libraries)
})

test('serve loads at most 1,000 modules, and no library of rare requests', async () => {
  const loaded = await listLoaded(['serve'])
  expect(loaded.own.length).toBeLessThanOrEqual(1_000)
  expect(RARE.filter((name) => loaded.libraries.includes(name))).toEqual([])
})
