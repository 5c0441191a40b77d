import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { ANN, startServerWithUsers } from '../support/server/server-with-users.ts'
import { NPM, PYTHON } from '../third-party/programs/packages.ts'
import { blocksOf, isShell, PROGRAM_PAGES, readPage } from './page.ts'

// The pages of programs are short, are in the table, and their scripts run.

const MOST_WORDS = 150

const run = promisify(execFile)
const table = readPage('docs/recipes/programs.md')
const nameOf = (page: string) => posix.basename(page, '.md')
const wordsOf = (page: string) =>
  readPage(page)
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .split(/\s+/)
    .filter(Boolean).length

test.each(PROGRAM_PAGES)('%s has at most 150 words, and a row in the table', (page) => {
  expect(wordsOf(page)).toBeLessThanOrEqual(MOST_WORDS)
  expect(table).toContain(`(programs/${nameOf(page)}.md)`)
})

test.each(PROGRAM_PAGES)('%s says how it is known, with a test of this project', (page) => {
  const known = /^Known by: ([\s\S]+)$/m.exec(readPage(page))?.[1]
  expect(known).toMatch(/\]\(\.\.\/\.\.\/\.\.\/test\//)
})

const INSTALLED = [
  ...Object.entries(PYTHON).map(([program, { pypi }]) => [program, pypi[0].split('==')[1]!]),
  ...Object.entries(NPM).map(([program, packages]) => [program, Object.values(packages)[0]!]),
] as [string, string][]

test.each(INSTALLED)('the table says that %s runs in the installed version, %s', (_, version) => {
  const [major, minor] = version.split('.')
  expect(table).toMatch(new RegExp(`\\| runs: [^|]*\\b${major}\\.${minor}\\b`))
})

/** What a program gives its script: arguments, and variables of the environment. */
const CALLS: Readonly<
  Record<string, { args: readonly string[]; env?: Record<string, string>; text: string }>
> = {
  zabbix: {
    args: ['+4915112345678', 'Problem: Disk "/" is 95 % full & grows'],
    text: 'Problem: Disk "/" is 95 % full & grows',
  },
  nagios: {
    args: ['+4915112345678', 'PROBLEM: web-1 HTTP is CRITICAL: timed out'],
    text: 'PROBLEM: web-1 HTTP is CRITICAL: timed out',
  },
  icinga: {
    args: ['+49 151 12345678', 'RECOVERY: web-1 HTTP is OK: 200\nin 12 ms'],
    text: 'RECOVERY: web-1 HTTP is OK: 200\nin 12 ms',
  },
  checkmk: {
    args: [],
    env: {
      NOTIFY_WHAT: 'SERVICE',
      NOTIFY_CONTACTPAGER: '+4915112345678',
      NOTIFY_HOSTNAME: 'web-1',
      NOTIFY_SERVICEDESC: 'Filesystem /',
      NOTIFY_SERVICESTATE: 'CRITICAL',
      NOTIFY_SERVICEOUTPUT: 'Used: 95 %',
    },
    text: 'web-1 Filesystem / is CRITICAL: Used: 95 %',
  },
  monit: {
    args: ['+4915112345678'],
    env: {
      MONIT_HOST: 'web-1',
      MONIT_SERVICE: 'nginx',
      MONIT_DESCRIPTION: 'process is not running',
    },
    text: 'web-1 nginx: process is not running',
  },
}

const server = await startServerWithUsers()

describe.each(Object.entries(CALLS))('the script of %s', (name, { args, env = {}, text }) => {
  const folder = temporaryFolder()
  const call = (key: string) => {
    const file = join(folder, 'sms')
    const [block] = blocksOf(`docs/recipes/programs/${name}.md`).filter(isShell)
    const script = block!.text
      .replaceAll('https://sms.example.com', server.url)
      .replaceAll('/etc/sms-key', join(folder, 'etc', 'sms-key'))
      .replaceAll(`$HOME${folder}`, folder)
    mkdirSync(join(folder, 'etc'), { recursive: true })
    writeFileSync(join(folder, 'etc', 'sms-key'), `access_token=${key}\n`)
    writeFileSync(file, script)
    chmodSync(file, 0o700)
    return run(file, args, { env: { PATH: process.env.PATH, HOME: folder, ...env } })
  }

  test('a script sends the text to the number', async () => {
    await server.rows('delete from sms_messages')
    expect((await call(ANN.key)).stdout).toMatch(/^OK; ID=/)
    expect(await server.rows('select "to", body from sms_messages')).toEqual([
      ['+4915112345678', text],
    ])
  })

  test('a script fails with the reason if the key is wrong', async () => {
    const failed = await call('psk_wrong').catch((error) => error)
    expect(failed.code).toBeGreaterThan(0)
    expect(failed.stdout).toContain('Invalid access token')
  })
})
