import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Driver } from '../../src/programs/agent/driver-interface.ts'
import { listSpoolFolders, makeGammuDriver } from '../../src/programs/agent/drivers/gammu.ts'
import { makeModemDriver } from '../../src/programs/agent/drivers/modem-manager.ts'
import { makeTermuxDriver } from '../../src/programs/agent/drivers/termux.ts'
import { setUp } from '../programs/agent/carrier.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { runPayloads } from './run-payloads.ts'

// The drivers read what small programs print, what files contain, or what a carrier sends. Local times are
// compared as local times.

const TEXT = { id: 'a', attempt: 1, to: '+4915112345678', body: 'Hello', sim: 0 }

/** Starts a driver, lets it send and look once, and describes what came of it. */
async function lookOnce(
  driver: Driver,
  send?: Partial<typeof TEXT>,
  sent: () => unknown = () => {},
) {
  const received: object[] = []
  const delivered: string[] = []
  let result: object | undefined
  try {
    await driver.start({
      received: async (text, at) => void received.push({ ...text, at: at.toLocaleString('sv') }),
      delivered: async (_, __, error) => void delivered.push(error ?? 'delivered'),
      roomGrew() {},
    })
    if (send) result = await driver.send({ ...TEXT, ...send }, performance.now() + 60_000)
    await sent()
  } catch (error) {
    return { error: (error as Error).message, received }
  } finally {
    await driver.stop() // after the first look
  }
  return { received, delivered, result, sims: driver.sims }
}

/** Installs shell programs that work in `folder`, on the PATH of this test. */
function install(folder: string, programs: Readonly<Record<string, string>>): void {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const [name, code] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\ncd '${folder}'\n${code}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  vi.stubEnv('PATH', `${bin}${delimiter}${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
}

/** Output of a program: text as it is, anything else as JSON. */
const output = (value: unknown = '') => (typeof value === 'string' ? value : JSON.stringify(value))

const MMCLI = `case "$*" in
--version) cat version ;;
*--messaging-status*) cat status >&2; test ! -s status ;;
*--messaging-list-sms*) while [ -e wait ]; do sleep 0.02; done; cat list ;;
*--messaging-create-sms=*) printf '%s|' "$@" >> created; cat create ;;
*--send*) cat send >&2; test ! -s send ;;
*--messaging-delete-sms=*) echo "\${3##*/}" >> deleted ;;
-s*) cat "sms-\${2##*/}" ;;
-i*) cat sim ;;
*) cat modem ;;
esac`
const SMS = '/org/freedesktop/ModemManager1/SMS/'

interface SentByMmcli {
  readonly version?: string
  readonly status?: string
  /** The texts of the modem. The first one is the text that is sent, if there is one. */
  readonly sms?: readonly unknown[]
  readonly list?: unknown
  readonly send?: { readonly to?: string; readonly body?: string }
  readonly create?: string
  readonly errors?: string
  readonly modem?: unknown
  readonly sim?: unknown
}

async function runMmcli(sent: SentByMmcli) {
  const folder = temporaryFolder()
  const { sms = [], send } = sent
  const list = sent.list ?? { 'modem.messaging.sms': sms.map((_, i) => `${SMS}${i}`) }
  const files = {
    version: sent.version ?? 'mmcli 1.22.0',
    status: sent.status,
    list,
    create: sent.create ?? `Successfully created new SMS: ${SMS}0`,
    send: sent.errors,
    modem: sent.modem ?? { modem: { 'dbus-path': '/org/freedesktop/ModemManager1/Modem/0' } },
    sim: sent.sim,
    ...Object.fromEntries(sms.map((each, i) => [`sms-${i}`, each])),
    ...(send && { wait: 'for the text that is sent' }),
  }
  for (const [name, value] of Object.entries(files))
    writeFileSync(join(folder, name), output(value))
  install(folder, { mmcli: MMCLI, busctl: `printf '%s|' "$@" >> created; cat create` })
  const outcome = await lookOnce(makeModemDriver('any'), send, () =>
    rm(join(folder, 'wait'), { force: true }),
  )
  const read = (name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : ''
  return {
    ...outcome,
    created: read('created'),
    deleted: read('deleted').split('\n').filter(Boolean),
  }
}

interface SentByGammu {
  readonly files: Readonly<Record<string, { utf16?: string; text?: string; hex?: string }>>
}

async function runGammu({ files }: SentByGammu) {
  const folders = listSpoolFolders(temporaryFolder())
  for (const each of Object.values(folders)) mkdirSync(each)
  for (const [name, { utf16, text = '', hex }] of Object.entries(files)) {
    const file = join(folders.inbox, name)
    const unicode = Buffer.from(`\ufeff${utf16}`, 'utf16le').swap16()
    writeFileSync(
      file,
      utf16 !== undefined ? unicode : hex !== undefined ? Buffer.from(hex, 'hex') : text,
    )
    utimesSync(file, 1, 1)
  }
  const outcome = await lookOnce(makeGammuDriver(folders))
  return { ...outcome, left: readdirSync(folders.inbox) }
}

interface SentByTermux {
  /** What termux-sms-list prints, page by page. */
  readonly pages?: readonly unknown[]
  readonly memory?: unknown
  readonly send?: { readonly sim?: number }
  readonly answer?: string
  readonly code?: number
  readonly info?: unknown
}

async function runTermux({
  pages = [[]],
  memory,
  send,
  answer = '',
  code = 0,
  info,
}: SentByTermux) {
  const folder = temporaryFolder()
  const file = join(folder, 'memory')
  writeFileSync(file, output(memory ?? { id: 0, atMs: 0, keys: [] }))
  for (const [i, page] of pages.entries())
    writeFileSync(join(folder, `page-${i * 50}`), output(page))
  writeFileSync(join(folder, 'answer'), answer)
  writeFileSync(join(folder, 'info'), output(info))
  install(folder, {
    'termux-sms-list': `[ "$1" = -h ] || cat "page-$4"`,
    'termux-sms-send': `cat > /dev/null; cat answer; exit ${code}`,
    'termux-telephony-deviceinfo': 'cat info',
  })
  return lookOnce(makeTermuxDriver(file), send)
}

/** Fields of a deliver_sm. Texts are bytes: `text` and `payload` in Latin-1, or `hex` and `payloadHex`. */
interface Delivered extends Readonly<Record<string, unknown>> {
  readonly text?: string
  readonly hex?: string
  readonly payload?: string
  readonly payloadHex?: string
}

interface SentBySmpp {
  readonly settings?: object
  /** The carrier's ids for the parts of a text that is sent before. */
  readonly ids?: readonly string[]
  readonly deliver: readonly Delivered[]
}

async function runSmpp({ settings, ids, deliver }: SentBySmpp) {
  const { smsc, received, delivered, send } = await setUp(settings)
  if (ids) {
    smsc.answer = () => ({ message_id: ids[smsc.submitted.length - 1]! })
    await send({ body: 'Hello '.repeat(ids.length > 1 ? 40 : 1) })
  }
  const statuses: number[] = []
  for (const { text = '', hex, payload, payloadHex, ...fields } of deliver) {
    const long =
      payloadHex === undefined
        ? payload && Buffer.from(payload, 'latin1')
        : Buffer.from(payloadHex, 'hex')
    const bytes = hex === undefined ? Buffer.from(text, 'latin1') : Buffer.from(hex, 'hex')
    const place = { source_addr: '4915112345678', source_addr_ton: 1, destination_addr: '4930123' }
    const content = { short_message: bytes, ...(long && { message_payload: long }) }
    statuses.push(await smsc.deliver({ ...place, ...fields, ...content }))
  }
  return { received, delivered, statuses }
}

const RUNS = { 'modem-manager': runMmcli, gammu: runGammu, termux: runTermux, smpp: runSmpp }

runPayloads<never, object>('drivers', Object.keys(RUNS), (subject, sent) =>
  RUNS[subject as keyof typeof RUNS](sent),
)
