import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { ANN, startServerWithUsers } from '../support/server/server-with-users.ts'

const run = promisify(execFile)
const PROJECT = join(import.meta.dirname, '..', '..')
const FOLDER = join(PROJECT, 'node_modules', '.cache', 'generators')
const TSC = join(PROJECT, 'node_modules', 'typescript', 'bin', 'tsc')
const ROLLDOWN = join(PROJECT, 'node_modules', '.bin', 'rolldown')
const NPM = {
  '@hey-api/openapi-ts': '0.95.0',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  'swagger-typescript-api': '13.13.0',
} as const
const COMPILER_OPTIONS = {
  strict: true,
  target: 'esnext',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['esnext', 'dom', 'dom.iterable'],
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: [],
}

const TEXT = `{ recipients: ['+4911111'], body: 'Hi' }`
const AT = 'process.env.URL!'
const HEADERS = `{ 'x-api-key': process.env.KEY! }`

/** For each generator its command, and a program that sends one text and prints the answer as JSON. */
const GENERATORS: Readonly<Record<string, { command: readonly string[]; program: string }>> = {
  'openapi-typescript': {
    command: ['openapi-typescript', '../openapi.json', '-o', 'schema.d.ts'],
    program: `import createClient from 'openapi-fetch'
import type { paths } from './schema.d.ts'
const client = createClient<paths>({ baseUrl: ${AT}, headers: ${HEADERS} })
const { data } = await client.POST('/api/sms/send', { body: ${TEXT} })
console.log(JSON.stringify(data))`,
  },
  'hey-api': {
    command: ['openapi-ts', '-i', '../openapi.json', '-o', 'client'],
    program: `import { client } from './client/client.gen.ts'
import { send } from './client/sdk.gen.ts'
client.setConfig({ baseUrl: ${AT}, headers: ${HEADERS} })
const { data } = await send({ body: ${TEXT} })
console.log(JSON.stringify(data))`,
  },
  'swagger-typescript-api': {
    command: [
      'swagger-typescript-api',
      'generate',
      '-p',
      '../openapi.json',
      '-o',
      '.',
      '-n',
      'client.ts',
    ],
    program: `import { Api } from './client.ts'
const client = new Api({ baseUrl: ${AT}, baseApiParams: { headers: ${HEADERS} } })
const { data } = await client.api.send(${TEXT})
console.log(JSON.stringify(data))`,
  },
}

const server = await startServerWithUsers()
const document = await (await fetch(`${server.url}/api/openapi.json`)).text()

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true })
  const isInstalled = Object.entries(NPM).every(([name, version]) => {
    const file = join(FOLDER, 'node_modules', name, 'package.json')
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version
  })
  if (!isInstalled) {
    writeFileSync(
      join(FOLDER, 'package.json'),
      JSON.stringify({ private: true, dependencies: NPM }),
    )
    const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
    execFileSync('npm', install, { cwd: FOLDER, stdio: 'inherit' })
  }
})

test.each(Object.keys(GENERATORS))('the client of %s compiles and sends a text', async (name) => {
  const { command, program } = GENERATORS[name]!
  // outside of node_modules, where the compiler would take the client for a library
  const folder = temporaryFolder()
  const cwd = join(folder, name)
  mkdirSync(cwd)
  symlinkSync(join(FOLDER, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'openapi.json'), document)
  const bin = join(FOLDER, 'node_modules', '.bin', command[0]!)
  await run(process.execPath, [bin, ...command.slice(1)], { cwd, maxBuffer: 1 << 26 })
  writeFileSync(
    join(cwd, 'program.ts'),
    `declare const process: { env: Record<string, string | undefined> }\n${program}\n`,
  )
  writeFileSync(
    join(cwd, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['program.ts'] }),
  )
  await run(process.execPath, [TSC, '-p', cwd], { maxBuffer: 1 << 26 })
  await run(process.execPath, [ROLLDOWN, 'program.ts', '--file', 'program.mjs'], { cwd })
  const { stdout } = await run(process.execPath, ['program.mjs'], {
    cwd,
    env: { ...process.env, URL: server.url, KEY: ANN.key },
  })
  const { message_ids: ids } = JSON.parse(stdout)
  expect(await server.message(ids[0])).toMatchObject({ to: '+4911111', body: 'Hi' })
})
