import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { type Block, blocksOf, PAGES, PROJECT } from './page.ts'
import { readValues } from './shape.ts'

const blocks = PAGES.flatMap((page) => blocksOf(page))
const inLanguage = (...languages: string[]) =>
  blocks
    .filter(({ language }) => languages.includes(language))
    .map((block) => ({ ...block, place: `${block.page}:${block.line}` }))

/** Blocks that are no shell and no script, and what is meant to be run by nobody. */
const KNOWN = [
  'sh',
  'bash',
  'js',
  'ts',
  'json',
  'yaml',
  'ini',
  'caddyfile',
  'nginx',
  'text',
  'sql',
  'http',
  'python',
]

const folder = temporaryFolder()

function write(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

describe('configuration blocks in docs', () => {
  test('all name a known language', () => {
    const strange = blocks.filter(({ language }) => !KNOWN.includes(language))
    expect(strange.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([])
  })

  test.each(inLanguage('json'))('$place is valid JSON', ({ text }) => {
    expect(readValues(text).length).toBeGreaterThan(0)
  })

  test.each(inLanguage('yaml'))('$place is valid YAML', ({ text }) => {
    expect(parse(text)).toBeTypeOf('object')
  })

  test.each(['docker-compose.yml', 'deploy/compose-servers.yml'])(
    'deploy.md explains the variables of %s',
    (file) => {
      const compose = readFileSync(join(PROJECT, file), 'utf8')
      expect(compose).toMatch(/\$\{/)
      const explained = readFileSync(join(PROJECT, 'docs/deploy.md'), 'utf8')
      for (const [, name] of compose.matchAll(/\$\{(\w+)/g))
        expect(explained).toContain(`\`${name}\``)
    },
  )

  test.each(inLanguage('ini'))('$place consists of sections and settings', ({ text }) => {
    const strange = text
      .split('\n')
      .filter((line) => !/^(\s*|[#;].*|\[[\w.-]+\]|[\w.-]+\s*=.*)$/.test(line))
    expect(strange).toEqual([])
  })
})

/** A unit whose programs and accounts are of this machine, so that only what it says is looked at. */
const asIfInstalled = (text: string) =>
  text
    .replace(/^ExecStart=\S+/gm, 'ExecStart=/bin/true')
    .replace(/^WorkingDirectory=.*/gm, 'WorkingDirectory=/')
    .replace(/^User=.*/gm, 'User=root')

const units = inLanguage('ini').filter(({ text }) => text.includes('[Service]'))
describe.skipIf(!existsSync('/usr/bin/systemd-analyze'))('systemd', () => {
  test.each(units)('systemd accepts the unit in $place', ({ line, text }) => {
    const unit = write(`unit-${line}.service`, asIfInstalled(text))
    expect(faultsOf('systemd-analyze', ['verify', '--man=no', unit], line)).toEqual([])
  })
})

/** What a checker says about the unit itself: of others it may complain on any machine. */
function faultsOf(program: string, args: readonly string[], line: Block['line']): string[] {
  try {
    execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    return []
  } catch (error) {
    const { stderr } = error as { stderr: Buffer }
    return String(stderr)
      .split('\n')
      .filter((said) => said.includes(`unit-${line}`))
  }
}
