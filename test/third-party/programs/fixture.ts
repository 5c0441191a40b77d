import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { blocksOf, readPage } from '../../docs/page.ts'
import { freePort } from '../../support/database/postgres.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { must } from '../../support/server/server-with-devices.ts'
import { stopLater } from '../../support/stops.ts'
import { makeKey, pairPhone, startTwilioFixture } from '../../support/twilio/twilio-fixture.ts'
import { until } from '../../support/until.ts'

/** The number on all pages. */
export const TO = '+4915112345678'
/** Of the phone that sends. */
export const FROM = '+4915550000001'
const STOP_MS = 10_000

export type ProgramFixture = Awaited<ReturnType<typeof startProgramFixture>>

/** A server with a user, her phone and her key, a folder, and the pages with her values in them. */
export async function startProgramFixture() {
  const smtpPort = await freePort()
  const fixture = await startTwilioFixture({ SMTP_PORT: String(smtpPort) })
  const { gateway } = fixture
  const ann = await fixture.makeUser()
  await pairPhone(fixture, ann, FROM)
  const { key } = await makeKey(ann.user)
  const { email } = await must(ann.user, 'GET', `/api/collections/users/records/${ann.user.id}`)
  const folder = temporaryFolder()
  const at = (name: string) => join(folder, name)

  /** Our values where the page has its examples; `own` go first. */
  const fill = (text: string, own: Readonly<Record<string, string>> = {}) =>
    Object.entries({
      ...own,
      'https://sms.example.com': gateway.url,
      'ann@example.com': email,
      'psk_…': key,
      '/etc/sms-key': at('sms-key'),
      '/usr/local/bin/': `${folder}/`,
    }).reduce((filled, [shown, value]) => filled.replaceAll(shown, value), text)

  return {
    gateway,
    ann,
    key,
    email,
    smtpPort,
    folder,
    at,
    fill,
    /** The block of a page below docs/recipes that contains a word. */
    block: (page: string, word: string, own?: Readonly<Record<string, string>>) =>
      fill(blocksOf(`docs/recipes/${page}.md`).find(({ text }) => text.includes(word))!.text, own),
    /** The rows of the tables of a page, or of one section: a field and its value, without backticks. */
    fields(page: string, own?: Readonly<Record<string, string>>, section = '') {
      const text = readPage(`docs/recipes/${page}.md`)
      const [, part = text] = section ? text.split(`\n## ${section}\n`) : []
      const rows = part.split('\n## ')[0]!.matchAll(/^\| ([^|]+) \| ([^|]+) \|.*$/gm)
      return Object.fromEntries(
        [...rows].map(([, field, value]) =>
          [field!, value!].map((cell) => fill(cell.replaceAll('`', '').trim(), own)),
        ),
      ) as Readonly<Record<string, string>>
    },
    /** The secret of a new hook. */
    async hook(values: object): Promise<string> {
      const fields = { user: ann.user.id, name: 'Program', ...values }
      return (await must(ann.user, 'POST', '/api/collections/hooks/records', fields)).secret
    },
    /** Writes a file of the folder; returns its path. */
    write(name: string, text: string, mode = 0o600): string {
      mkdirSync(dirname(at(name)), { recursive: true })
      writeFileSync(at(name), text)
      chmodSync(at(name), mode)
      return at(name)
    },
    /** The texts so far, sorted, each with its number. */
    sent: async (): Promise<string[]> =>
      (await gateway.query('select "to", body from sms_messages order by "to", body')).map((row) =>
        row.join(' '),
      ),
    forget: () => gateway.query('delete from sms_messages'),
  }
}

/** A program in a group of processes of its own, which ends with the test file, or by `stop`. */
export function start(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = '/',
) {
  let said = ''
  const keep = (piece: Buffer | string) => {
    said = (said + piece).slice(-20_000)
  }
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', keep)
  child.on('error', (error) => keep(error.message))
  return {
    /** The end of what it wrote. */
    said: () => said,
    stop: stopLater(() => end(child)),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, name)
    } catch {
      // the whole group has ended
    }
  }
  signal('SIGTERM')
  const impatient = setTimeout(() => signal('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(impatient)
  signal('SIGKILL') // what it left behind
}

/** Waits until a program answers, and throws with its last lines if it does not. */
export async function answers(
  program: ReturnType<typeof start>,
  url: string,
  withinMs = 120_000,
): Promise<void> {
  const ask = () =>
    fetch(url).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status < 500
      },
      () => false,
    )
  await until(url, ask, withinMs).catch((error) => {
    throw new Error(`${error.message}\n${program.said()}`)
  })
}

/** `test`, or a line that makes the nightly part fail, if the program is not there. */
export function testOf(program: string, isInstalled: boolean) {
  if (!isInstalled) console.warn(`NOT RUN: ${program} is not installed.`)
  return isInstalled ? test : test.skip
}
