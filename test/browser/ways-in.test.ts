import { eachWay } from '../crossings/each-way.ts'
import {
  furnishShop,
  isAccepted,
  nextNumber,
  nextWords,
  PHONES_NUMBER,
  type Place,
  SETTINGS,
  startOutside,
  type Text,
  type Way,
} from '../crossings/ways-in.ts'
import { freePort } from '../support/database/postgres.ts'
import { client, must, pairDevice } from '../support/server/server-with-devices.ts'
import { ANN, scenario } from './support/browser-fixture.ts'

const smtpPort = await freePort()

/** What a phone reports, in turn, and what the page shows of it. */
const ENDS = [
  [{ status: 'sent' }, 'Sent'],
  [{ status: 'delivered' }, 'Delivered'],
  [{ status: 'failed', error_message: 'No such number' }, 'No such number'],
] as const

scenario(
  'a text of each way is shown with its words and its status',
  async (fixture) => {
    const { page, url } = fixture
    const { authStore } = await fixture.ann()
    const user = { ...client(url, authStore.record!.id, authStore.token), email: ANN.email }
    const phone = await pairDevice(url, user, { phone: PHONES_NUMBER })
    const shop = await furnishShop(user, phone)
    const at: Place = {
      url,
      smtpPort,
      outside: (await startOutside()).url,
      query: () => Promise.reject(new Error('The database is the server’s own')),
    }
    const texts: (Text & { readonly title: string; readonly way: Way })[] = []
    const line = `/api/collections/lines/records/${shop.line}`
    for (const { title, way } of eachWay('console')) {
      const text = { to: nextNumber(), words: nextWords() }
      const answer = await way.send(at, shop, text)
      expect([title, isAccepted(answer)]).toEqual([title, true])
      texts.push({ title, way, ...text })
      // the way of links switches it off
      await must(user, 'PATCH', line, { mms: 'on' })
    }
    const ends = new Map<string, string>()
    await expect
      .poll(
        async () => {
          const { items } = await must(phone, 'POST', '/api/devices/claim', { mms: true })
          for (const { id, attempt, to } of items) {
            const [report, shown] = ENDS[ends.size % ENDS.length]!
            ends.set(to, shown)
            await must(phone, 'POST', '/api/devices/report', {
              items: [{ id, attempt, ...report }],
            })
          }
          return texts
            .filter(({ to, way }) => !way.hasLeft && !ends.has(to))
            .map((one) => one.title)
        },
        { timeout: 60_000 },
      )
      .toEqual([])

    await fixture.signIn()
    await fixture.visit('/messages')
    const rows = page.locator('tbody tr')
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(texts.length)
    const shown = (await rows.allInnerTexts()).map((row) => row.replaceAll(/[\s\u00a0]/g, ' '))
    for (const { title, way, to, words } of texts) {
      const row = shown.find(
        (one) =>
          one.includes(words) ||
          (way.hasOwnWords && one.replaceAll(/\D/g, '').includes(to.slice(3))),
      )
      expect([title, row]).toEqual([title, expect.stringContaining(ends.get(to) ?? 'Sent')])
    }
    await fixture.look('messages-of-all-ways')
  },
  { ...SETTINGS, SMTP_PORT: String(smtpPort) },
  { ms: 180_000 },
)
