import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowser } from './support/browser.ts'
import { type BrowserFixture, fillSignIn, scenario } from './support/browser-fixture.ts'
import { pairPhone, pairWith } from './support/phone.ts'
import { readQr } from './support/qr.ts'

const TO = '+4915112345678'
/** Where the app is, as its maker says. */
const APP = 'https://github.com/capcom6/android-sms-gateway/releases/latest'
/** A command unpacks the agent first. */
const START_MS = 60_000

scenario('a simulated phone is paired by QR code, tested, limited and removed', async (fixture) => {
  const { page, url } = fixture
  await fixture.signIn()
  await fixture.visit('/devices')
  await page.getByText('No devices yet').waitFor()
  await fixture.look('devices-empty')

  await page.getByRole('button', { name: 'Add a device' }).click()
  await page.getByLabel('Name').fill('desk phone')
  await page.getByRole('button', { name: 'Show the code' }).click()
  const shown = (await page.locator('.devices-code').innerText()).replaceAll(' ', '')
  await page.locator('.qr').first().waitFor()
  await page.getByText(`Only the server’s own computer reaches ${url}.`).waitFor()
  await page.getByText('HOST=0.0.0.0 npx pocketsms serve').waitFor()
  await page.getByText('HOST=0.0.0.0 npm run demo').waitFor()
  expect(await page.getByRole('link', { name: 'SMSGate' }).getAttribute('href')).toBe(APP)
  expect(await readQr(page, "QR code of the app's download page")).toBe(APP)
  const link = await readQr(page, 'QR code of the address with the code')
  expect(link).toBe(`${url}/api/devices/pair#${shown}`)

  const phone = await pairWith(url, link.split('#')[1]!, 'desk phone', [], 'simulator')
  await page.getByText('desk phone has joined').waitFor()
  await fixture.look('devices-joined')
  await page.getByRole('link', { name: 'Send a test', exact: true }).click()
  await page.getByText('Online').waitFor()

  await page.getByLabel('To', { exact: true }).fill('+49 151 12345678')
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('Waiting', { exact: true }).first().waitFor()
  const [message] = await phone.claim(1)
  expect(message!.to).toBe('+4915112345678')
  await phone.report(message!, 'sent')
  await phone.report(message!, 'delivered')
  await phone.beat({ battery: 73 })
  await page.getByText('Delivered').first().waitFor()
  await page.reload()
  await page.getByText('73 %').waitFor()

  await page.getByLabel('Messages a day').fill('100')
  await page.getByLabel('May be used only from').fill('127.0.0.1, ::1')
  // a program changes the device meanwhile
  const devices = (await fixture.ann()).collection('devices')
  const { id } = await devices.getFirstListItem('')
  await devices.update(id, { per_minute: 30 })
  await expect.poll(() => page.getByLabel('Messages a minute').inputValue()).toBe('30')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Device saved').waitFor()
  expect(await devices.getOne(id)).toMatchObject({
    ...{ daily_limit: 100, per_minute: 30, addresses: '127.0.0.1,::1' },
  })
  await (await fixture.ann()).send('/api/sms/send', {
    method: 'POST',
    body: {
      recipients: ['+4915112345678'],
      body: 'Later',
      device_id: id,
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    },
  })
  await fixture.visit('/devices')
  await page.getByText('1 of 100').waitFor()

  await page.getByRole('link', { name: 'desk phone' }).click()
  await page.getByRole('button', { name: 'Delete the device' }).click()
  await page.getByText('One scheduled text names this device and fails.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the device' }).click()
  await page.getByText('Being deleted').waitFor()
  await page.getByText('No devices yet').waitFor()
})

scenario(
  'a simulated phone is started by a button and completes the first steps',
  async (fixture) => {
    const { page } = fixture
    await fixture.signIn()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.getByRole('link', { name: 'Add a phone or a modem' }).click()
    await page.getByRole('button', { name: 'Add a device' }).click()
    await page.getByLabel('What sends the texts').selectOption('simulated')
    await page.getByRole('button', { name: 'Start a simulated phone' }).click()
    await page.getByText('Simulated phone has joined').waitFor()
    await page.getByRole('link', { name: 'Send a test', exact: true }).click()
    await page.getByLabel('To', { exact: true }).fill('+4915112345678')
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('To +49 1511 2345678').waitFor()
    await page.getByText('Delivered').first().waitFor()
    await fixture.visit('/devices')
    await page.getByText('Wait until it is delivered. Done.').waitFor()
    await fixture.look('first-steps')
    await page.reload()
    await page.getByRole('link', { name: 'Simulated phone Simulated', exact: true }).click()
    await page.getByLabel('Reply').fill('Thank you')
    await page.getByRole('button', { name: 'Receive this text' }).click()
    await page.getByText('From +49 1511 2345678').waitFor()
    await fixture.look('simulated-phone')
    await fixture.visit('/conversations')
    await page.getByText('Thank you').first().waitFor()
    await fixture.visit('/devices')
    await page.getByRole('link', { name: 'Simulated phone Simulated', exact: true }).waitFor()
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
  },
)

scenario(
  'the command shown on the page pairs and runs a modem without an earlier installation',
  async (fixture) => {
    const { page } = fixture
    const home = mkdtempSync(join(tmpdir(), 'pocketsms-home-'))
    let first: ChildProcess | undefined
    try {
      await fixture.signIn()
      first = runIn(home, await shownCommand(fixture, 'Modem'))
      await page.getByText('Modem has joined').waitFor({ timeout: START_MS })
      await page.getByRole('link', { name: 'Send a test', exact: true }).click()
      await page.getByLabel('To', { exact: true }).fill(TO)
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('Delivered').first().waitFor()
      await fixture.visit('/devices')
      await page.locator('.first-steps li.done').nth(3).waitFor()

      first.stdin!.write(`${TO} Thank you\n`)
      await fixture.visit('/conversations')
      await page.getByText('Thank you').first().waitFor()
      await fixture.visit('/devices')
      await page.getByRole('link', { name: 'Modem Simulated', exact: true }).waitFor()
      expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
    } finally {
      if (first) await end(first)
      rmSync(home, { recursive: true, force: true })
    }
  },
  {},
  { ms: 240_000 },
)

/** The command that the console shows for a modem with this name. */
async function shownCommand({ page, visit, look }: BrowserFixture, name: string): Promise<string> {
  await visit('/devices')
  await page.getByRole('button', { name: 'Add a device' }).click()
  await page.getByLabel('What sends the texts').selectOption('computer')
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Show the code' }).click()
  await page.getByLabel('What sends there').selectOption('simulator')
  await page.getByText('HOST=0.0.0.0 npx pocketsms serve').waitFor()
  await look('devices-computer')
  return page.locator('.dialog .code-block code').innerText()
}

/** Runs a command in a home directory, without any package registry. */
function runIn(home: string, command: string): ChildProcess {
  const env = { PATH: process.env.PATH, HOME: home, npm_config_registry: 'http://127.0.0.1:9' }
  return spawn('sh', ['-c', command], {
    cwd: home,
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
}

/** Ends a program and what it started. */
async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null) return
  process.kill(-program.pid!, 'SIGTERM')
  await once(program, 'close')
}

scenario('a phone that scanned the QR code is told how to join', async (fixture) => {
  const { page, url } = fixture
  await page.goto(`${url}/api/devices/pair#482915`)
  await page.getByRole('heading', { name: 'Add this phone' }).waitFor()
  await page.getByText(`${url}/api/mobile/v1`).waitFor()
  await page.getByText('482915', { exact: true }).waitFor()
  await fixture.look('this-phone')
  await page.goto(`${url}/#48291`)
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
})

scenario(
  'a server on a local network shows the address at which phones reach it',
  async (fixture) => {
    const address = /Phones reach it at (http:\S+)/.exec(fixture.output())![1]!
    await fixture.ann()
    const browser = await openBrowser(address, fixture.screen)
    const { page } = browser
    try {
      await fillSignIn(browser, address, 'ann', fixture.say)
      // where the QR code in the terminal leads
      await page.goto(`${address}/#/devices?add=1`)
      await page.getByRole('button', { name: 'Show the code' }).click()
      await page.getByText('The SMSGate app needs an https address.').waitFor()
      expect(await page.getByText('HOST=0.0.0.0 npx pocketsms serve').count()).toBe(0)
      const link = await readQr(page, 'QR code of the address with the code')
      expect(link).toMatch(`${address}/api/devices/pair#`)
      await pairWith(address, link.split('#')[1]!, 'Phone')
      await page.getByText('Phone has joined').waitFor()
      expect(browser.faults).toEqual([])
    } finally {
      await browser.close()
    }
  },
  { HOST: '0.0.0.0', PUBLIC_URL: '' },
)

scenario('a phone whose texts all fail is shown as failing', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const broken = await pairPhone(url, ann, 'desk phone')
  const recipients = Array.from({ length: 5 }, (_, i) => `+49151${2_000_000 + i}`)
  await ann.send('/api/sms/send', {
    method: 'POST',
    body: { recipients, body: 'Hello', device_id: broken.id },
  })
  for (const task of await broken.claim())
    await broken.report(task, 'failed', { error_message: 'No credit' })
  await fixture.signIn()
  await fixture.visit('/devices')
  await page.getByText('Failing', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'desk phone' }).click()
  await page.getByText('At least 5 texts in a row failed').waitFor()
  await fixture.look('device-failing')
})
