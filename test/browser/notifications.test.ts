import type { Page, Worker } from 'playwright-core'
import { until } from '../support/until.ts'
import { type BrowserFixture, scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const ZOE = '+4915112345678'
const SWITCH = 'Notify me of texts in this browser'

/** As in a browser that was built without a push service; a test's browser has none either, but logs that. */
const withoutPushService = (page: Page) =>
  page.addInitScript(`PushManager.prototype.subscribe = async () => {
    throw new DOMException('Registration failed - push service not available', 'AbortError')
  }`)

/** Turns notifications on on the account page, and answers the service worker. */
async function turnOn({ page, visit }: BrowserFixture): Promise<Worker> {
  await page.context().grantPermissions(['notifications'])
  await visit('/account')
  const [started] = page.context().serviceWorkers()
  const worker = started ?? (await page.context().waitForEvent('serviceworker'))
  await page.getByLabel(SWITCH).click()
  return worker
}

interface Shown {
  readonly title: string
  readonly body: string
}

/** What the service worker shows now. */
const shown = (worker: Worker) =>
  worker.evaluate(
    `registration.getNotifications().then((all) => all.map(({ title, body }) => ({ title, body })))`,
  ) as Promise<Shown[]>

/** Has the browser's push service hand a message to the service worker. */
async function deliver({ page, url }: BrowserFixture, message: object): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const found = new Promise<string>((done) =>
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      if (registrations[0]) done(registrations[0].registrationId)
    }),
  )
  await devtools.send('ServiceWorker.enable')
  const registrationId = await found
  const data = JSON.stringify(message)
  await devtools.send('ServiceWorker.deliverPushMessage', {
    origin: `${url}/`,
    registrationId,
    data,
  })
  await devtools.detach()
}

scenario(
  'a pushed text is shown as a notification that opens its conversation',
  async (fixture) => {
    const { page, url } = fixture
    await fixture.ann()
    await withoutPushService(page)
    await fixture.signIn()
    const worker = await turnOn(fixture)
    await page.getByText('This browser has no push service').waitFor()
    await fixture.look('notifications')

    const notice = {
      conversation: 'zoe',
      number: ZOE,
      name: 'Zoë',
      text: 'Is my parcel there?',
      unread: 2,
    }
    await deliver(fixture, notice)
    await until('a notification', async () => (await shown(worker)).length === 1)
    expect(await shown(worker)).toEqual([{ title: 'Zoë (2)', body: 'Is my parcel there?' }])
    await deliver(fixture, { ...notice, name: '', text: '', unread: 1 })
    await until('the newer one', async () => (await shown(worker))[0]?.title === ZOE)
    expect(await shown(worker)).toEqual([{ title: ZOE, body: 'New text' }])
    await deliver(fixture, { ...notice, failure: 'Not sent: No signal' })
    await until('the failed one', async () => (await shown(worker))[0]?.title === 'Zoë')
    expect(await shown(worker)).toEqual([{ title: 'Zoë', body: 'Not sent: Is my parcel there?' }])
    await deliver(fixture, { conversations: 12 })
    await until('the second one', async () => (await shown(worker)).length === 2)
    expect((await shown(worker)).map(({ title }) => title)).toContain('News in 12 conversations')

    // a click; a test cannot make a trusted one, which alone may bring the tab to the front
    await worker.evaluate(`registration.getNotifications({ tag: 'zoe' }).then(([notification]) => {
    self.dispatchEvent(new NotificationEvent('notificationclick', { notification }))
  })`)
    await page.waitForURL(`${url}/#/conversations/${encodeURIComponent(ZOE)}`)
    await until('its end', async () => (await shown(worker)).length === 1)
  },
)

scenario('a text is not announced while its conversation is in front', async (fixture) => {
  const { page } = fixture
  await fixture.ann()
  await withoutPushService(page)
  await fixture.signIn()
  const worker = await turnOn(fixture)
  // the view of the list in its address makes no difference
  await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}?view=waiting`)
  await page.bringToFront()
  const notice = { conversation: 'zoe', number: ZOE, name: 'Zoë', text: 'Seen', unread: 1 }
  await deliver(fixture, notice)
  await deliver(fixture, { ...notice, conversation: 'max', number: '+4915187654321', name: 'Max' })
  await until('the other one', async () => (await shown(worker)).length > 0)
  expect((await shown(worker)).map(({ title }) => title)).toEqual(['Max'])
})

scenario('without a push service an open tab notifies while hidden', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(url, ann, 'Desk phone')
  await withoutPushService(page)
  await fixture.signIn()
  const worker = await turnOn(fixture)
  await page.getByText('you are notified while the console is open').waitFor()
  await phone.hear(ZOE, 'While it is visible')
  await page.getByText('1 unread').first().waitFor({ state: 'attached' })
  expect(await shown(worker)).toEqual([])
  await page.evaluate(`Object.defineProperty(document, 'hidden', { value: true })`)
  await phone.hear(ZOE, 'While it is hidden')
  await until('a notification', async () => (await shown(worker)).length > 0)
  expect(await shown(worker)).toEqual([{ title: `${ZOE} (2)`, body: 'While it is hidden' }])
})

scenario(
  'notifications are turned off in this browser, in all others and by signing out',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const browsers = async () =>
      (await ann.send('/api/account/push', {})).items as { endpoint: string }[]
    const subscription = (path: string) => ({
      endpoint: `https://push.example.com/${path}`,
      keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) },
    })
    // a browser with a push service, as far as a page sees
    await page.addInitScript(`
    const json = ${JSON.stringify(subscription('here'))}
    const subscribed = { endpoint: json.endpoint, toJSON: () => json, unsubscribe: async () => true }
    PushManager.prototype.subscribe = async () => subscribed
    PushManager.prototype.getSubscription = async () => subscribed`)
    await fixture.signIn()
    await turnOn(fixture)
    await page.getByText('You are notified even when the console is not open.').waitFor()
    expect((await browsers()).map(({ endpoint }) => endpoint)).toEqual([
      subscription('here').endpoint,
    ])
    await page.getByLabel(SWITCH).click()
    await until('the end', async () => (await browsers()).length === 0)

    for (const path of ['laptop', 'phone'])
      await ann.send('/api/account/push', { method: 'PUT', body: subscription(path) })
    await page.getByLabel(SWITCH).click()
    await page.getByText('2 other browsers notify you.').waitFor()
    await page.getByRole('button', { name: 'Stop for all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop for all' }).click()
    await page.getByText('No browser notifies you now').waitFor()
    expect([await browsers(), await page.getByLabel(SWITCH).isChecked()]).toEqual([[], false])

    await page.getByLabel(SWITCH).click()
    await until('the browser', async () => (await browsers()).length === 1)
    await fixture.signOut()
    await until('the end', async () => (await browsers()).length === 0)
  },
)
