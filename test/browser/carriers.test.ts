import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BrowserFixture, scenario } from './support/browser-fixture.ts'
import { findLayoutFaults } from './support/layout.ts'

const LOCAL = { WEBHOOK_ALLOW_PRIVATE: 'true' }
const TO = '+4915112345678'

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

/** A carrier on this computer. It accepts texts with the right key, and reports each as delivered. */
async function startCarrier(key: string) {
  const sent: Readonly<Record<string, string>>[] = []
  const server = createServer(async (request, response) => {
    // a trial of the address
    if (request.method === 'GET') return response.writeHead(404).end()
    const text = JSON.parse(await bodyOf(request))
    const isKnown = request.headers.authorization === `Bearer ${key}`
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isKnown ? { id: `c${sent.length}` } : { error: 'Unknown key' }))
    if (!isKnown) return
    sent.push(text)
    await fetch(`${text.back}&status=delivered`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { sent, url: `http://127.0.0.1:${port}`, stop }
}

/** Opens the form of a preset by the button of the list of devices. */
async function choose({ page, say, visit }: BrowserFixture, carrier: string): Promise<void> {
  await visit('/devices')
  await page.getByRole('button', { name: say('Add a device') }).click()
  await page.getByLabel(say('What sends the texts')).selectOption('carrier')
  await page.getByRole('button', { name: say('Choose the carrier') }).click()
  await page.getByRole('radio', { name: carrier }).check()
  await page.getByRole('button', { name: say('Continue') }).click()
}

/** Fills the form of an own interface. */
async function describeInterface(
  { page, say }: BrowserFixture,
  url: string,
  key: string,
): Promise<void> {
  const fill = (label: string, text: string) =>
    page.getByLabel(say(label), { exact: true }).fill(text)
  await fill('Name', 'Kiosk')
  await fill('Address', url)
  await fill('Password or key', key)
  await fill('Senders', '+49 30 123, My Shop')
  await fill('Path', '/send')
  await fill('Body', '{"from":"{{from}}","to":"{{to}}","text":"{{body}}","back":"{{callback}}"}')
  await page.getByText(say('The answer'), { exact: true }).click()
  await fill('Where the carrier’s id is', 'id')
  await fill('Where a refusal’s text is', 'error')
  await page.getByText(say('Delivery reports'), { exact: true }).click()
  await fill('Where the reference is', 'ref')
  await fill('Where the status is', 'status')
  await fill('Delivered means', 'delivered')
  await fill('Failed means', 'failed')
}

scenario(
  'a carrier is added in three steps, shows its request first, and sends a test text',
  async (fixture) => {
    const { page, say, url } = fixture
    const carrier = await startCarrier('sesame-open-99')
    try {
      const ann = await fixture.ann()
      await fixture.signIn()
      await choose(fixture, say('Another carrier'))
      await describeInterface(fixture, carrier.url, 'sesame-open-99')
      await page.getByRole('button', { name: say('Show the request') }).click()
      await page.getByText(`POST ${carrier.url}/send`).waitFor()
      await page.getByText('"from":"+4930123"').waitFor()
      await page
        .getByText(
          say('The carrier answers. Only a test text shows whether it accepts the credentials.'),
        )
        .waitFor()
      expect(await page.locator('main').innerText()).not.toContain('sesame-open-99')
      expect(await ann.collection('devices').getFullList()).toEqual([])
      await fixture.inspect('carrier-request')

      await page.getByRole('button', { name: say('Add the carrier') }).click()
      await page.getByText(`${url}/api/devices/carriers/calls/`).waitFor()
      await page.getByRole('button', { name: say('Use it without a test') }).waitFor()
      await page.getByLabel(say('To'), { exact: true }).fill(TO)
      await page.getByRole('button', { name: say('Send a test') }).click()
      await page.getByText(say('Delivered'), { exact: true }).waitFor()
      expect(carrier.sent).toMatchObject([{ to: TO, text: say('A test from pocketsms') }])
      await page.getByText(say('The carrier sends your texts.')).waitFor()
      await fixture.inspect('carrier-added')

      await page.getByRole('link', { name: say('Done') }).click()
      await page.getByRole('heading', { name: 'Kiosk', level: 1 }).waitFor()
      await page.getByRole('heading', { name: '+49 30 123' }).waitFor()
      await page.getByRole('heading', { name: 'My Shop' }).waitFor()
      await fixture.inspect('carrier-device')
    } finally {
      carrier.stop()
    }
  },
  LOCAL,
)

scenario(
  'wrong credentials and a wrong address are named in the form, which then adds nothing',
  async (fixture) => {
    const { page, say, url } = fixture
    const ann = await fixture.ann()
    await fixture.signIn()
    await fixture.visit('/devices/new/carrier?preset=pocketsms')
    const tryOn = async (address: string, answer: string) => {
      await page.getByLabel(say('Address'), { exact: true }).fill(address)
      await page.getByRole('button', { name: say('Show the request') }).click()
      await page.getByText(say(answer)).waitFor()
      expect(await page.getByRole('button', { name: say('Add the carrier') }).count()).toBe(0)
    }
    await page.getByLabel('API key', { exact: true }).fill('psk_wrong')
    await tryOn(url, 'The carrier does not accept the credentials.')
    await fixture.inspect('carrier-wrong-credentials')
    await tryOn('http://127.0.0.1:9', 'The carrier cannot be reached.')
    expect(await ann.collection('devices').getFullList()).toEqual([])
  },
  LOCAL,
)

scenario(
  'a refused account is explained on the device and in the list, until its key is changed',
  async (fixture) => {
    const { page, say } = fixture
    const carrier = await startCarrier('sesame-open-99')
    try {
      const ann = await fixture.ann()
      const { device } = await addByApi(fixture, carrier.url, 'wrong', true)
      await ann.send('/api/sms/send', { method: 'POST', body: { recipients: [TO], body: 'Hello' } })
      await fixture.signIn()
      await fixture.visit(`/devices/${device}`)
      await page
        .getByText(say('The carrier does not accept the credentials.'))
        .waitFor({ timeout: 40_000 })
      await page.getByText('Unknown key').waitFor()
      await fixture.inspect('carrier-refused')
      await fixture.visit('/devices')
      await page.getByText(say('The carrier does not accept the credentials.')).waitFor()
      await fixture.inspect('carriers')

      await fixture.visit(`/devices/${device}/carrier`)
      await page.getByLabel(say('Address'), { exact: true }).fill(`${carrier.url}/`)
      await fixture.refused(/^PUT \/api\/devices\/carriers\/\w+: 400/, async () => {
        await page.getByRole('button', { name: say('Show the request') }).click()
        await page
          .getByText(say('Enter this again, because you changed where it is sent.'))
          .waitFor()
      })
      await page.getByLabel(say('Password or key')).fill('sesame-open-99')
      await page.getByRole('button', { name: say('Show the request') }).click()
      await page.getByText(say('What your server will send')).waitFor()
      await page.getByRole('button', { name: say('Save'), exact: true }).click()
      await page.getByText(say('Account saved')).waitFor()
      await fixture.visit(`/devices/${device}`)
      await page.getByText(say('Delivered'), { exact: true }).first().waitFor({ timeout: 40_000 })
    } finally {
      carrier.stop()
    }
  },
  LOCAL,
  { ms: 240_000 },
)

/** Adds a carrier whose account has this key. */
async function addByApi(
  fixture: BrowserFixture,
  url: string,
  secret: string,
  ready = false,
): Promise<{ device: string }> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer {{secret}}' }
  const account = {
    preset: 'custom',
    url,
    senders: ['+4930123', 'My Shop'],
    custom: {
      send: {
        path: '/send',
        headers,
        body: { to: '{{to}}', text: '{{body}}', back: '{{callback}}' },
      },
      answer: { id: 'id', error: ['error'] },
      receipt: { ref: 'ref', status: 'status', delivered: ['delivered'], failed: ['failed'] },
    },
  }
  const ann = await fixture.ann()
  return ann.send('/api/devices/carriers', {
    method: 'POST',
    body: { account, secret, ready, name: 'Kiosk' },
  })
}

const WIDTHS = 'pages of carriers fit from 320 to 1,920 pixels'

async function visitAll(fixture: BrowserFixture): Promise<void> {
  const { device } = await addByApi(fixture, 'http://127.0.0.1:9', 'sesame')
  await fixture.signIn()
  const forms = ['pocketsms', 'twilio', 'custom'].map(
    (preset) => `/devices/new/carrier?preset=${preset}`,
  )
  const own = [
    `/devices/${device}`,
    `/devices/${device}/carrier`,
    `/devices/${device}/carrier?added=1`,
  ]
  expect(await findLayoutFaults(fixture, ['/devices/new/carrier', ...forms, ...own])).toEqual([])
}

scenario(WIDTHS, visitAll, LOCAL, { ms: 240_000 })
scenario(`${WIDTHS}, in German`, visitAll, LOCAL, { locale: 'de-DE', ms: 240_000 })
