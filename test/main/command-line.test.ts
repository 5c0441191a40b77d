import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findWordFault, type Words } from '../../src/main/command-line.ts'

// citty itself passes over words that it does not know.

const many: Words = { type: 'positional', required: false, description: '', many: true }
const ARGS = {
  file: { type: 'positional', required: true },
  to: { type: 'string' },
  name: { type: 'string', default: '' },
  'dry-run': { type: 'boolean', default: false },
} as const

test.each([
  ['an option that is misspelled', ['a', '--dryrun'], 'There is no option --dryrun.'],
  [
    'an option named like a member of every object',
    ['a', '--constructor', 'x'],
    'There is no option --constructor.',
  ],
  ['an unknown short option', ['a', '-n'], 'There is no option -n.'],
  ['an option without its value', ['a', '--to'], '--to needs a value.'],
  ['an option with an empty value', ['a', '--to='], '--to needs a value.'],
  ['a repeated option', ['a', '--to', 'x', '--to=y'], '--to stands twice.'],
  ['an extra word', ['a', 'b'], '"b" is one word too many.'],
])('a command line with %s is refused: $2', (_, words, fault) =>
  expect(findWordFault(words, ARGS)).toBe(fault),
)

test.each([
  ['all known options', ['a', '--to', 'x', '--name=y', '--dry-run']],
  ['a value that begins with a dash', ['a', '--to', '-5']],
  ['an empty value where that is the default', ['a', '--name', '']],
  ['a word after two dashes', ['--', '--dryrun']],
])('a command line with %s is accepted', (_, words) =>
  expect(findWordFault(words, ARGS)).toBeUndefined(),
)

test('a command that takes many words accepts them all but no unknown option', () => {
  expect(findWordFault(['::1', '10.0.0.0/8', '127.0.0.1'], { many })).toBeUndefined()
  expect(findWordFault(['::1', '--to', 'x'], { many })).toBe('There is no option --to.')
})

const run = (...words: string[]) =>
  spawnSync(
    process.execPath,
    [fileURLToPath(new URL('../../src/main/cli.ts', import.meta.url)), ...words],
    {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
      timeout: 80_000,
    },
  )

test('every command refuses unknown options and extra words', { timeout: 90_000 }, () => {
  expect(run('serve', '--port', '80').stderr).toBe(
    'There is no option --port. See pocketsms serve --help.\n',
  )
  expect(run('superuser', 'upsert', 'a@b.example', 'two', 'words').stderr).toMatch(
    /^"words" is one word/,
  )
})

test('--version prints the version', { timeout: 90_000 }, () => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  expect(run('--version').stdout).toBe(`${version}\n`)
})
