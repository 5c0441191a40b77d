import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Driver, IncomingText } from '../../../src/programs/agent/driver-interface.ts'
import { listSpoolFolders, makeGammuDriver } from '../../../src/programs/agent/drivers/gammu.ts'
import { makeModemDriver } from '../../../src/programs/agent/drivers/modem-manager.ts'
import { makeTermuxDriver } from '../../../src/programs/agent/drivers/termux.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'

// What stands behind a driver is played here: gammu-smsd's folders are real, mmcli and Termux:API are small
// programs.

const TEXT = { id: 'abc', attempt: 1, to: '+4915112345678', body: `It's "late" – 20 € 😀`, sim: 2 }

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

/** Starts a driver; what it tells is kept. */
async function run(driver: Driver) {
  const received: (IncomingText & { at: string })[] = []
  const typed: string[] = []
  const delivered: string[] = []
  await driver.start({
    typed: async ({ to, body }) => void typed.push(`${to} ${body}`),
    received: async (text, at) => void received.push({ ...text, at: at.toISOString() }),
    delivered: async ({ id, attempt }, _, error) =>
      void delivered.push(`${id}.${attempt}${error ? ` ${error}` : ''}`),
    roomGrew() {},
  })
  onTestFinished(() => driver.stop())
  return { received, typed, delivered }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 800 && !isSo(); i++) await sleep(50)
  expect(isSo()).toBe(true)
}

/** A program on the PATH, of JavaScript; `args` and `folder` are there. */
function install(name: string, code: string): void {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const head = `#!${process.execPath}\nconst fs = require('node:fs'), args = process.argv.slice(2), folder = ${JSON.stringify(folder)}\n`
  writeFileSync(join(bin, name), head + code)
  chmodSync(join(bin, name), 0o755)
  const before = process.env.PATH
  process.env.PATH = `${bin}${delimiter}${before}`
  onTestFinished(() => {
    process.env.PATH = before
  })
}

const calls = (name: string): string[][] =>
  readFileSync(join(folder, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** gammu-smsd's folders; `take` waits for a file in the outbox and moves it. */
function spool() {
  const folders = listSpoolFolders(folder)
  for (const each of Object.values(folders)) mkdirSync(each)
  const waiting = () => readdirSync(folders.outbox).filter((name) => name.startsWith('OUT'))
  const take = async (to: 'sent' | 'error') => {
    await until(() => waiting().length > 0)
    const [name] = waiting() as [string]
    const bytes = readFileSync(join(folders.outbox, name))
    renameSync(join(folders.outbox, name), join(folders[to], name))
    return { name, bytes }
  }
  return { folders, take }
}

test('gammu: a text is written as a UTF-16 file, and its later folder decides the outcome', async () => {
  const { folders, take } = spool()
  const driver = makeGammuDriver(folders)
  await run(driver)
  const sending = driver.send(TEXT)
  const { name, bytes } = await take('sent')
  expect(name).toMatch(/^OUTC\d{8}_\d{6}_00_\+4915112345678_abc-1\.txt$/)
  expect(bytes.toString('utf16le')).toBe(`\ufeff${TEXT.body}`)
  expect(await sending).toEqual({ outcome: 'sent' })
  const failing = driver.send({ ...TEXT, attempt: 2 })
  await take('error')
  // it may have gone out in part
  expect(await failing).toMatchObject({ outcome: 'failed', notSent: false })
})

test('gammu: parts of an incoming text are joined and reported once', async () => {
  const { folders } = spool()
  const parts = ['Good ', 'morning']
  const names = parts.map((_, i) => join(folders.inbox, `IN20261120_081500_00_+4930123_0${i}.txt`))
  for (const [i, name] of names.entries()) {
    writeFileSync(name, `\ufeff${parts[i]}`, 'utf16le')
    utimesSync(name, 1, 1)
  }
  const { received } = await run(makeGammuDriver(folders))
  await until(() => names.every((name) => !existsSync(name)))
  const at = new Date(2026, 10, 20, 8, 15, 0).toISOString()
  expect(received).toEqual([{ from: '+4930123', body: 'Good morning', sim: 0, at }])
})

test('gammu: the driver survives a deleted folder and an unreadable file', async () => {
  const { folders, take } = spool()
  const driver = makeGammuDriver(folders)
  const { received } = await run(driver)
  rmSync(folders.inbox, { recursive: true })
  const sending = driver.send(TEXT)
  await take('sent')
  expect(await sending).toEqual({ outcome: 'sent' })
  const [broken, whole] = ['00', '01'].map(
    (number) => `IN20261120_081500_${number}_+4930123_00.txt`,
  )
  mkdirSync(join(folders.inbox, broken!), { recursive: true })
  writeFileSync(join(folders.inbox, whole!), '\ufeffHi', 'utf16le')
  for (const name of [broken!, whole!]) utimesSync(join(folders.inbox, name), 1, 1)
  await until(() => received.length > 0 && !existsSync(join(folders.inbox, whole!)))
  expect(received).toMatchObject([{ from: '+4930123', body: 'Hi' }])
})

test('gammu: the driver names a missing folder', async () => {
  await expect(
    makeGammuDriver(listSpoolFolders(folder)).start({
      async received() {},
      async delivered() {},
      roomGrew() {},
    }),
  ).rejects.toThrow(/inbox is not a folder/)
})

/** Texts are files `<number>.json` in a folder; each call is noted. */
const MMCLI = `
if (args[0] === '--version') { console.log('mmcli 1.22.0'); process.exit(0) }
fs.appendFileSync(folder + '/mmcli.log', JSON.stringify(args) + '\\n')
const value = (name) => args.find((arg) => arg.startsWith(name + '='))?.slice(name.length + 1)
const file = (path) => folder + '/' + path.split('/').pop() + '.json'
const root = '/org/freedesktop/ModemManager1/SMS/'
if (value('--messaging-create-sms')) {
  const text = fs.readFileSync(value('--messaging-create-sms-with-text'), 'utf8')
  if (text === 'refuse') { console.error('error: no SIM'); process.exit(1) }
  const number = /number=([^,]*)/.exec(value('--messaging-create-sms'))[1]
  const sms = { sms: { content: { number, text }, properties: { state: 'unknown', 'delivery-state': '--' } } }
  fs.writeFileSync(file('7'), JSON.stringify(sms))
  console.log('Successfully created new SMS: ' + root + '7')
} else if (args.includes('--send')) {
  const sms = JSON.parse(fs.readFileSync(file(args[1])))
  if (sms.sms.content.text === 'fail') { console.error('error: no network'); process.exit(1) }
  sms.sms.properties = { state: 'sent', 'delivery-state': 'completed-received' }
  fs.writeFileSync(file(args[1]), JSON.stringify(sms))
} else if (args[0] === '-m' && args[2] === '-J') console.log(fs.readFileSync(folder + '/modem-' + args[1], 'utf8'))
else if (args[0] === '-i') console.log(fs.readFileSync(folder + '/sim-' + args[1].split('/').pop(), 'utf8'))
else if (value('--messaging-delete-sms')) fs.rmSync(file(value('--messaging-delete-sms')))
else if (args.includes('--messaging-list-sms')) {
  const names = fs.readdirSync(folder).filter((name) => /^\\d+\\.json$/.test(name))
  console.log(JSON.stringify({ 'modem.messaging.sms': names.map((name) => root + name.slice(0, -5)) }))
} else if (args[0] === '-s') console.log(fs.readFileSync(file(args[1]), 'utf8'))
`

/** ModemManager's driver, where mmcli runs `code`. */
async function modemManager(code = MMCLI, ...modems: string[]) {
  install('mmcli', code)
  const driver = makeModemDriver(...(modems.length > 0 ? modems : ['any']))
  return { driver, ...(await run(driver)) }
}

test('modemmanager: any text is sent and its delivery reported', async () => {
  const { driver, delivered } = await modemManager()
  expect(await driver.send(TEXT)).toEqual({ outcome: 'sent' })
  await until(() => delivered.length > 0)
  expect(delivered).toEqual(['abc.1'])
  await until(() => !existsSync(join(folder, '7.json')))
  const create = calls('mmcli.log').find((args) =>
    args.some((arg) => arg.startsWith('--messaging-create-sms=')),
  )
  expect(create).toContain(
    '--messaging-create-sms=number=+4915112345678,delivery-report-request=yes',
  )
})

test.each([
  [
    'refused before it was with the modem fails and counts as not sent',
    'refuse',
    { outcome: 'failed', error: 'error: no SIM', notSent: true },
  ],
  [
    'that failed on its way fails and may have been sent',
    'fail',
    { outcome: 'failed', error: 'error: no network', notSent: false },
  ],
])('modemmanager: a text %s', async (_, body, result) => {
  const { driver } = await modemManager()
  expect(await driver.send({ ...TEXT, body })).toEqual(result)
})

test('modemmanager: a text is reported as not sent if its file cannot be written', async () => {
  const { driver } = await modemManager()
  vi.stubEnv('TMPDIR', join(folder, 'nowhere'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const error = expect.stringMatching(/^ENOENT: .*nowhere/)
  expect(await driver.send(TEXT)).toEqual({ outcome: 'failed', error, notSent: true })
})

test('modemmanager: an incoming text is reported once and deleted', async () => {
  const properties = { state: 'received', timestamp: '2026-11-20T08:15:00+01' }
  writeFileSync(
    join(folder, '3.json'),
    JSON.stringify({ sms: { content: { number: '+4930123', text: 'Hi' }, properties } }),
  )
  const { received } = await modemManager()
  await until(() => !existsSync(join(folder, '3.json')))
  expect(received).toEqual([
    { from: '+4930123', body: 'Hi', sim: 1, at: '2026-11-20T07:15:00.000Z' },
  ])
})

test('modemmanager: a text that the modem fails to delete is reported once', async () => {
  const sms = { content: { number: '+4930123', text: 'Hi' }, properties: { state: 'received' } }
  writeFileSync(join(folder, '3.json'), JSON.stringify({ sms }))
  const { received } = await modemManager(MMCLI.replace('fs.rmSync(', 'process.exit(1, '))
  const deletions = () =>
    calls('mmcli.log').filter((args) => args.join().includes('delete-sms')).length
  await expect
    .poll(() => existsSync(join(folder, 'mmcli.log')) && deletions())
    .toBeGreaterThanOrEqual(3)
  expect(received).toHaveLength(1)
})

/** What ModemManager 1.20 says of a modem and of its SIM, without what nobody reads. */
function modem(name: string, sim: string, ownNumbers: string[], operator: string) {
  const path = sim === '--' ? sim : `/org/freedesktop/ModemManager1/SIM/${sim}`
  const generic = {
    manufacturer: 'Quectel',
    'own-numbers': ownNumbers,
    'primary-sim-slot': '1',
    sim: path,
    'sim-slots': [path, '/'],
    state: 'registered',
  }
  const network = {
    imei: '866680040112569',
    'operator-code': '26201',
    'operator-name': 'Telekom.de',
  }
  const info = {
    modem: { '3gpp': network, 'dbus-path': '/org/freedesktop/ModemManager1/Modem/0', generic },
  }
  writeFileSync(join(folder, `modem-${name}`), JSON.stringify(info))
  const properties = {
    active: 'yes',
    'emergency-numbers': [],
    iccid: '8949',
    'operator-name': operator,
  }
  writeFileSync(
    join(folder, `sim-${sim}`),
    JSON.stringify({ sim: { 'dbus-path': path, properties } }),
  )
}

test("modemmanager: each modem's SIM is reported, and a text leaves by the chosen one", async () => {
  modem('0', '0', ['+4915112345678'], 'congstar')
  modem('1', '4', ['015112345679'], '--')
  const { driver } = await modemManager(MMCLI, '0', '1')
  expect(driver.sims).toEqual([
    { slot: 1, number: '+4915112345678', carrier: 'congstar' },
    { slot: 2, carrier: 'Telekom.de' }, // a number without its country is none
  ])
  expect(driver.parallel).toBe(2)
  const used = () =>
    calls('mmcli.log').filter((args) => args.some((arg) => /create-sms=/.test(arg)))
  for (const sim of [2, 1, 0])
    expect(await driver.send({ ...TEXT, sim })).toEqual({ outcome: 'sent' })
  expect(used().map(([, name]) => name)).toEqual(['1', '0', '0'])
  expect(await driver.send({ ...TEXT, sim: 3 })).toMatchObject({ outcome: 'failed', notSent: true })
})

test('modemmanager: an incoming text has the SIM of its modem', async () => {
  install(
    'mmcli',
    MMCLI.replace(
      "args.includes('--messaging-list-sms')",
      "args[1] === '0' && args[2] === '--messaging-list-sms') {\n  console.log(JSON.stringify({ 'modem.messaging.sms': [] }))\n} else if (args.includes('--messaging-list-sms')",
    ),
  )
  modem('0', '--', [], '--')
  modem('1', '4', [], '--')
  const sms = { content: { number: '+4930123', text: 'Hi' }, properties: { state: 'received' } }
  writeFileSync(join(folder, '3.json'), JSON.stringify({ sms }))
  const { received } = await run(makeModemDriver('0', '1'))
  await until(() => received.length > 0)
  expect(received).toMatchObject([{ from: '+4930123', body: 'Hi', sim: 2 }])
})

const inbox = (...texts: object[]) =>
  writeFileSync(join(folder, 'inbox.json'), JSON.stringify(texts))
const listed = (_id: number, body: string) => ({
  _id,
  number: '+4930123',
  body,
  received: '2026-11-20 08:15:00',
})
const LIST = `console.log(fs.readFileSync(folder + '/inbox.json', 'utf8'))`
const SEND = `fs.writeFileSync(folder + '/sent', JSON.stringify({ args, text: fs.readFileSync(0, 'utf8') }))`

test('termux: a text is passed to Android', async () => {
  install('termux-sms-list', LIST)
  install('termux-sms-send', SEND)
  inbox()
  const driver = makeTermuxDriver(join(folder, 'memory'))
  await run(driver)
  expect(await driver.send(TEXT)).toEqual({ outcome: 'sent' })
  const sent = JSON.parse(readFileSync(join(folder, 'sent'), 'utf8'))
  expect(sent).toEqual({ args: ['-n', TEXT.to, '-s', '1'], text: TEXT.body })
})

/** What Termux:API says of a phone, without what nobody reads. */
const deviceInfo = (info: object) =>
  install('termux-telephony-deviceinfo', `console.log(${JSON.stringify(JSON.stringify(info))})`)
const ONE_SIM = {
  data_enabled: 'true',
  phone_count: 1,
  network_operator_name: 'Telekom.de',
  sim_country_iso: 'de',
  sim_operator: '26201',
  sim_operator_name: 'congstar',
  sim_state: 'ready',
}

test.each([
  ['one slot with a SIM', ONE_SIM, 0, [{ slot: 1, carrier: 'congstar', country: 'de' }], [], 1],
  ['one slot without a SIM', { ...ONE_SIM, sim_state: 'absent' }, 0, [], ['-s', '0'], 0],
  ['two slots with unknown contents', { ...ONE_SIM, phone_count: 2 }, 0, [], ['-s', '0'], 0],
  [
    'two SIMs as set by the user',
    { ...ONE_SIM, phone_count: 2 },
    2,
    [{ slot: 1 }, { slot: 2 }],
    ['-s', '0'],
    0,
  ],
  ['no permission', { error: 'Please grant the permission' }, 0, [], ['-s', '0'], 0],
])(
  'termux: %s gives the SIM slots $3 and the arguments $4 to send',
  async (_, info, count, sims, slot, sim) => {
    install('termux-sms-list', LIST)
    install('termux-sms-send', SEND)
    install('getprop', "console.log(args[0] === 'ro.build.version.sdk' ? 37 : '')")
    deviceInfo(info)
    const memory = join(folder, 'memory')
    writeFileSync(memory, '3')
    inbox(listed(4, 'Hi'))
    const driver = makeTermuxDriver(memory, count)
    const { received } = await run(driver)
    expect(driver.sims).toEqual(sims)
    expect(driver.android).toBe(37)
    await driver.send({ ...TEXT, sim: 1 })
    expect(JSON.parse(readFileSync(join(folder, 'sent'), 'utf8')).args).toEqual([
      '-n',
      TEXT.to,
      ...slot,
    ])
    await until(() => received.length > 0)
    expect(received[0]!.sim).toBe(sim)
  },
)

test("termux: an error from Android becomes the failure's reason", async () => {
  install('termux-sms-list', LIST)
  install('termux-sms-send', `console.log('No permission')`)
  inbox()
  const driver = makeTermuxDriver(join(folder, 'memory'))
  await run(driver)
  expect(await driver.send(TEXT)).toEqual({
    outcome: 'failed',
    error: 'No permission',
    notSent: false,
  })
})

test('termux: only texts received since the last run are reported', async () => {
  install('termux-sms-list', LIST)
  const memory = join(folder, 'memory')
  inbox(listed(4, 'old'))
  const first = makeTermuxDriver(memory)
  const before = await run(first)
  await until(() => existsSync(memory))
  await first.stop()
  inbox(listed(6, 'second'), listed(5, 'first'), listed(4, 'old'))
  const after = await run(makeTermuxDriver(memory))
  await until(() => after.received.length > 1)
  expect(before.received).toEqual([])
  expect(after.received.map(({ body }) => body)).toEqual(['first', 'second'])
})

test('termux: texts that the owner sent are reported, texts of the agent are not', async () => {
  install(
    'termux-sms-list',
    `console.log(fs.readFileSync(folder + '/' + (args[5] ?? 'inbox') + '.json', 'utf8'))`,
  )
  install('termux-sms-send', SEND)
  inbox()
  const sent = (...texts: object[]) =>
    writeFileSync(join(folder, 'sent.json'), JSON.stringify(texts))
  const memory = join(folder, 'memory')
  sent(listed(4, 'old'))
  const first = makeTermuxDriver(memory)
  await run(first)
  await until(() => existsSync(`${memory}.sent`))
  await first.send({ ...TEXT, body: 'ours\n' })
  await first.stop()
  const ours = { ...listed(6, 'ours'), number: '015112345678' }
  sent({ ...ours, _id: 7 }, ours, listed(5, 'typed'))
  const { typed } = await run(makeTermuxDriver(memory))
  await until(() => typed.length > 1)
  expect(typed).toEqual(['+4930123 typed', '015112345678 ours'])
})

test('termux: an empty answer from Android does not count as an empty inbox', async () => {
  const list = `const list = fs.readFileSync(folder + '/inbox.json', 'utf8')`
  install(
    'termux-sms-list',
    `${list}\nfs.appendFileSync(folder + '/asked', '.')\nconsole.log(list)`,
  )
  const memory = join(folder, 'memory')
  writeFileSync(join(folder, 'inbox.json'), '')
  const { received } = await run(makeTermuxDriver(memory))
  await until(() => readFileSync(join(folder, 'asked'), 'utf8').length > 1)
  inbox(listed(4, 'old'))
  await expect.poll(() => existsSync(memory) && JSON.parse(readFileSync(memory, 'utf8')).id).toBe(4)
  expect(received).toEqual([])
})

test('a driver without its program names the package to install', async () => {
  const before = process.env.PATH
  process.env.PATH = folder
  onTestFinished(() => {
    process.env.PATH = before
  })
  await expect(
    makeModemDriver('any').start({ async received() {}, async delivered() {}, roomGrew() {} }),
  ).rejects.toThrow(/Install ModemManager/)
})
