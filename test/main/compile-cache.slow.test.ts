import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../support/database/temporary-folder.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/pocketsms.js', import.meta.url))

/** Runs `pocketsms --version` with only these variables. */
function run(env: Readonly<Record<string, string>>) {
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, '--version'], {
    encoding: 'utf8',
    env,
  })
  return { version: stdout.trim(), stderr }
}

const folder = temporaryFolder()
const files = (place: string) => globSync('**/*', { cwd: join(folder, place) })

test.each([
  ['below XDG_CACHE_HOME', { XDG_CACHE_HOME: join(folder, 'xdg'), HOME: folder }, 'xdg/pocketsms'],
  ['below .cache of the home', { HOME: join(folder, 'home') }, 'home/.cache/pocketsms'],
  ['where NODE_COMPILE_CACHE says', { NODE_COMPILE_CACHE: join(folder, 'own') }, 'own'],
])('the first start stores compiled code %s', (_, env, place) => {
  expect(run({ HOME: folder, ...env })).toMatchObject({ stderr: '' })
  expect(files(place).length).toBeGreaterThan(2)
})

test.each([
  ['no home', {}],
  ['a home that cannot be written', { HOME: '/dev/null' }],
])('a start with %s compiles all code', (_, env) => {
  expect(run(env)).toEqual({ version: expect.stringMatching(/^\d/), stderr: '' })
})
