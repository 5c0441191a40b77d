import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { IncomingText } from '../../../src/programs/agent/driver-interface.ts'
import { makeModemDriver } from '../../../src/programs/agent/drivers/modem-manager.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { runs } from '../../support/installed.ts'

// The real mmcli and busctl on a bus of their own, where Debian's packages modemmanager and python3-dbusmock
// are installed. Python plays ModemManager.

/** Debian's, which has the modules. */
const PYTHON = '/usr/bin/python3'
const isInstalled =
  runs('mmcli', '--version') && runs('busctl', '--version') && runs(PYTHON, '-c', 'import dbus, gi')

const BUS = `<busconfig><type>system</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`

/** Starts a program. Returns its first line, and an array that gets each other line. */
async function start(program: string, args: readonly string[]) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  const [first]: string[] = await once(lines, 'line')
  const others: string[] = []
  lines.on('line', (line) => others.push(line))
  return { first: first!, others }
}

/** The driver, with a modem that has received `texts`. */
async function setUp(...texts: object[]) {
  const config = join(temporaryFolder(), 'bus.conf')
  writeFileSync(config, BUS)
  const bus = await start('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address'])
  vi.stubEnv('DBUS_SYSTEM_BUS_ADDRESS', bus.first)
  onTestFinished(() => void vi.unstubAllEnvs())
  const manager = join(import.meta.dirname, 'modem-manager.py')
  const { others: created } = await start(PYTHON, [
    manager,
    ...texts.map((text) => JSON.stringify(text)),
  ])
  const driver = makeModemDriver('any')
  const received: IncomingText[] = []
  await driver.start({
    received: async (text) => void received.push(text),
    async delivered() {},
    roomGrew() {},
  })
  onTestFinished(() => driver.stop())
  return { driver, created, received }
}

describe.skipIf(!isInstalled)('mmcli', () => {
  test.each([
    ['an apostrophe, a comma and a line break', "It's late,\nand text='x'"],
    ['quotation marks', 'He said "a,b", number="+1"'],
    ['both kinds of quotation marks', `--It's "late", 20 € 😀\n\\"\\'`],
    ['blanks at its ends', '  a  '],
  ])('mmcli creates a text with %s unchanged', { timeout: 60_000 }, async (_, body) => {
    const { driver, created } = await setUp()
    const text = { id: 'a', attempt: 1, to: '+4915112345678', sim: 0 }
    expect(await driver.send({ ...text, body })).toEqual({ outcome: 'sent' })
    expect(created.map((line) => JSON.parse(line))).toMatchObject([{ number: text.to, text: body }])
  })

  test('mmcli lists texts that the driver reads, with any characters and bytes', {
    timeout: 60_000,
  }, async () => {
    const { received } = await setUp(
      { number: '+4930123', text: 'Grüße "x"\n\u001f\u007f\\' },
      {},
      { number: '+4930124', data: '0102FF' },
      { number: '+4930125', text: 'Delivered', pdu: 3 },
    )
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(3)
    expect(received).toEqual([
      { from: '+4930123', body: 'Grüße "x"\n\u001f\u007f\\', sim: 1 },
      { from: '', body: '', sim: 1 },
      { from: '+4930124', body: 'data:application/octet-stream;base64,AQL/', sim: 1 },
    ])
  })
})
