import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IncomingText } from '../../../src/programs/agent/driver-interface.ts'
import { listSpoolFolders, makeGammuDriver } from '../../../src/programs/agent/drivers/gammu.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { runs } from '../../support/installed.ts'

// The real gammu-smsd with gammu's dummy phone, where Debian's packages gammu and gammu-smsd are installed.

/** Its log, and what it reads of arguments, are in the locale's encoding. */
const UTF8 = { ...process.env, LC_ALL: 'C.UTF-8' }

/**
 * A phone in a folder of its own, and what gammu-smsd's example of a configuration says of the files service.
 */
function configuration(folder: string): string {
  const { inbox, outbox, sent, error } = listSpoolFolders(folder)
  const phone = join(folder, 'phone')
  for (const each of [
    inbox,
    outbox,
    sent,
    error,
    ...[1, 2, 3, 4, 5].map((n) => join(phone, 'sms', `${n}`)),
  ])
    mkdirSync(each, { recursive: true })
  const file = join(folder, 'smsdrc')
  writeFileSync(
    file,
    `[gammu]
model = dummy
connection = none
device = ${phone}
gammuloc = /dev/null
[smsd]
service = files
logfile = ${join(folder, 'log')}
inboxpath = ${inbox}/
outboxpath = ${outbox}/
sentsmspath = ${sent}/
errorsmspath = ${error}/
inboxformat = unicode
outboxformat = unicode
transmitformat = auto
debuglevel = 255
loopsleep = 1
checksecurity = 0
`,
  )
  return file
}

/** The daemon and our driver on one spool; what comes in is kept. */
async function desk() {
  const folder = temporaryFolder()
  const file = configuration(folder)
  const daemon = spawn('gammu-smsd', ['-c', file], { stdio: 'ignore', env: UTF8 })
  onTestFinished(async () => {
    daemon.kill()
    if (daemon.exitCode === null) await once(daemon, 'exit')
  })
  const received: IncomingText[] = []
  const driver = makeGammuDriver(listSpoolFolders(folder))
  await driver.start({
    received: async (text) => void received.push(text),
    async delivered() {},
    roomGrew() {},
  })
  onTestFinished(() => driver.stop())
  const arrive = (from: string, text: string) =>
    execFileSync(
      'gammu',
      [
        ...['-c', file, 'savesms', 'TEXT', '-folder', '1', '-unread'],
        ...['-sender', from, '-len', '400', '-text', text],
      ],
      { env: UTF8 },
    )
  return { folder, driver, received, arrive }
}

const isInstalled = ['gammu', 'gammu-smsd'].every((program) => runs(program, '--version'))

describe.skipIf(!isInstalled)('gammu-smsd with its dummy phone', () => {
  test('gammu-smsd with its dummy phone sends a short and a long text once each', {
    timeout: 60_000,
  }, async () => {
    const { folder, driver } = await desk()
    const text = { attempt: 1, to: '+4915112345678', sim: 0 }
    const results = await Promise.all([
      driver.send({ ...text, id: 'short', body: 'Grüße, 20 €' }),
      driver.send({ ...text, id: 'long', body: 'Your parcel 😀 '.repeat(20) }),
    ])
    expect(results).toEqual([{ outcome: 'sent' }, { outcome: 'sent' }])
    expect(readdirSync(join(folder, 'sent')).length).toBe(2)
    expect(readdirSync(join(folder, 'outbox'))).toEqual([])
    // a line a part: one, and 300 characters of which 67 fit in each
    const log = readFileSync(join(folder, 'log'), 'utf8')
    expect(log.match(/Transmitted OUT\S+short-1\.txt/g)?.length).toBe(1)
    expect(log.match(/Transmitted OUT\S+long-1\.txt/g)?.length).toBe(5)
    expect(log).toContain('Grüße, 20 €')
  })

  test('gammu-smsd with its dummy phone receives a text of one part and joins one of two parts', {
    timeout: 60_000,
  }, async () => {
    const { received, arrive } = await desk()
    const long = 'so it goes on '.repeat(20).trim()
    arrive('+4930123', 'Guten Tag 😀')
    arrive('+4930124', long)
    for (let i = 0; i < 400 && received.length < 2; i++) await sleep(100)
    const texts = received.map(({ from, body }) => ({ from, body: body.trim() }))
    expect(texts.sort((a, b) => (a.from < b.from ? -1 : 1))).toEqual([
      { from: '+4930123', body: 'Guten Tag 😀' },
      { from: '+4930124', body: long },
    ])
  })
})
