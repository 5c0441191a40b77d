import { createHmac } from 'node:crypto'
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Driver } from '../../src/programs/agent/driver-interface.ts'
import { listSpoolFolders, makeGammuDriver } from '../../src/programs/agent/drivers/gammu.ts'
import { makeModemDriver } from '../../src/programs/agent/drivers/modem-manager.ts'
import { makeSimulatorDriver } from '../../src/programs/agent/drivers/simulator.ts'
import { makeTermuxDriver } from '../../src/programs/agent/drivers/termux.ts'
import { setUp } from '../programs/agent/carrier.ts'
import { custom, openDriver } from '../programs/agent/drivers/http/carrier-fixture.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import type { Client, ServerWithDevices } from '../support/server/server-with-devices.ts'
import { joinPhone, type SmsgateFixture } from '../support/smsgate/smsgate-fixture.ts'

// Devices of each kind, to which texts come in as the network has them. Programs of modems are played.

type Heard = readonly [from: string, body: string]
type Hear = (texts: readonly Heard[]) => Promise<void>
type Listen = (fixture: SmsgateFixture, user: Client) => Promise<Hear>

/** Starts a driver whose texts go to the server, as `pocketsms agent` hands them over. */
async function connect(gateway: ServerWithDevices, user: Client, driver: Driver): Promise<void> {
  const phone = await gateway.pair(user)
  await driver.start({
    received: async ({ from, body }) => gateway.hear(phone, [[from, body]]),
    async delivered() {},
    roomGrew() {},
  })
}

/** Puts a program of a device first on the PATH. `folder`: the device's, which its test file removes. */
function install(folder: string, name: string, program: string): void {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, name), program)
  chmodSync(join(bin, name), 0o755)
  if (!process.env.PATH!.startsWith(bin)) process.env.PATH = `${bin}${delimiter}${process.env.PATH}`
}

/** mmcli, with the texts of a folder: a shell starts in a tenth of the time of Node. */
const mmcli = (texts: string) => `#!/bin/sh
cd '${texts}' || exit
asked=$*
case "$asked" in
*--messaging-delete-sms=*) rm "\${asked##*/}.json" ;;
*--messaging-list-sms*)
  printf '{"modem.messaging.sms":['
  comma=
  for file in *.json; do
    [ -e "$file" ] || break
    printf '%s"/org/freedesktop/ModemManager1/SMS/%s"' "$comma" "\${file%.json}"
    comma=,
  done
  echo ']}' ;;
-s*) cat "\${2##*/}.json" ;;
*) echo '{}' ;;
esac
`

/** A program of JavaScript. */
const node = (code: string) => `#!${process.execPath}\nconst fs = require('node:fs')\n${code}`

export const DEVICES: Readonly<Record<string, Listen>> = {
  'native API': async ({ gateway }, user) => {
    const phone = await gateway.pair(user)
    return (texts) => gateway.hear(phone, texts)
  },
  'SMSGate app': async (fixture, user) => {
    const phone = await joinPhone(fixture, user)
    const [{ url }] = (await phone.call('GET', '/webhooks')).body
    const { signing_key } = (await phone.call('GET', '/settings')).body.webhooks
    return async (texts) => {
      for (const [sender, message] of texts) {
        const payload = {
          messageId: sender,
          sender,
          phoneNumber: sender,
          message,
          simNumber: 1,
          receivedAt: new Date().toISOString(),
        }
        const body = JSON.stringify({
          id: sender,
          webhookId: 'x',
          event: 'sms:received',
          deviceId: 'x',
          payload,
        })
        const timestamp = String(Math.floor(Date.now() / 1000))
        const signature = createHmac('sha256', signing_key)
          .update(body + timestamp)
          .digest('hex')
        const headers = { 'x-timestamp': timestamp, 'x-signature': signature }
        await phone.fetch(url, { method: 'POST', headers, body })
      }
    }
  },
  smpp: async ({ gateway }, user) => {
    const phone = await gateway.pair(user)
    const carrier = await setUp({ country_code: '49' })
    return async (texts) => {
      for (const [from, body] of texts) {
        const address = { source_addr: from, source_addr_ton: /^\d/.test(from) ? 2 : 5 }
        await carrier.smsc.deliver({
          ...address,
          data_coding: 8,
          short_message: Buffer.from(body, 'utf16le').swap16(),
        })
      }
      for (const { from, body } of carrier.received.splice(0))
        await gateway.hear(phone, [[from, body]])
    }
  },
  gammu: async ({ gateway }, user) => {
    const folders = listSpoolFolders(temporaryFolder())
    for (const each of Object.values(folders)) mkdirSync(each)
    await connect(gateway, user, makeGammuDriver(folders))
    return async (texts) => {
      for (const [i, [from, body]] of texts.entries()) {
        const file = join(
          folders.inbox,
          `IN20261120_081500_${String(i).padStart(2, '0')}_${from}_00.txt`,
        )
        writeFileSync(file, `\ufeff${body}`, 'utf16le')
        utimesSync(file, 1, 1)
      }
    }
  },
  modemmanager: async ({ gateway }, user) => {
    const folder = temporaryFolder()
    const texts = join(folder, 'modem')
    mkdirSync(texts)
    install(folder, 'mmcli', mmcli(texts))
    await connect(gateway, user, makeModemDriver('any'))
    return async (heard) => {
      for (const [i, [number, text]] of heard.entries()) {
        const properties = { state: 'received', timestamp: '2026-11-20T08:15:00+01' }
        writeFileSync(
          join(texts, `${i}.json`),
          JSON.stringify({ sms: { content: { number, text }, properties } }),
        )
      }
    }
  },
  termux: async ({ gateway }, user) => {
    const folder = temporaryFolder()
    const inbox = join(folder, 'inbox.json')
    writeFileSync(inbox, '[]')
    install(
      folder,
      'termux-sms-list',
      node(`const read = (option) => Number(process.argv[process.argv.indexOf(option) + 1])
      const texts = JSON.parse(fs.readFileSync('${inbox}', 'utf8')).slice(read('-o'))
      console.log(JSON.stringify(texts.slice(0, read('-l'))))`),
    )
    install(
      folder,
      'termux-telephony-deviceinfo',
      `#!/bin/sh\necho '{"phone_count":1,"sim_state":"ready","sim_country_iso":"de"}'\n`,
    )
    writeFileSync(join(folder, 'memory'), '0')
    await connect(gateway, user, makeTermuxDriver(join(folder, 'memory')))
    return async (texts) => {
      const listed = texts.map(([number, body], i) => ({
        _id: i + 1,
        number,
        body,
        received: '2026-11-20 08:15:00',
      }))
      writeFileSync(inbox, JSON.stringify(listed))
    }
  },
  http: async ({ gateway }, user) => {
    const phone = await gateway.pair(user)
    const { callback, received } = await openDriver(custom('http://127.0.0.1:9'))
    return async (texts) => {
      for (const [i, [from, body]] of texts.entries()) {
        const call = { kind: 'text', id: String(i), from, to: '+4930123', body }
        const headers = { 'content-type': 'application/json' }
        await fetch(callback, { method: 'POST', headers, body: JSON.stringify(call) })
      }
      for (const { from, body } of received.splice(0)) await gateway.hear(phone, [[from, body]])
    }
  },
  simulator: async ({ gateway }, user) => {
    const driver = makeSimulatorDriver()
    await connect(gateway, user, driver)
    return async (texts) => {
      for (const [from, body] of texts) driver.receive({ from, body, sim: 0 })
    }
  },
}
