import { scenario } from '../support/browser-fixture.ts'
import { holdRequests } from '../support/hold-requests.ts'
import { pairPhone } from '../support/phone.ts'

const ZOE = '+4915112345678'
const TEXTS = 200

scenario(
  'words are found in any order, case and accents, and a found text is in sight',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    const phone = await pairPhone(url, ann, 'Desk phone')
    await ann.collection('contacts').create({ user, name: 'Zoë Weiß', phone: ZOE })
    await phone.hear('+4915187654321', 'Rechnung für Zimmer 5')
    for (let i = 0; i < TEXTS; i += 50)
      await phone.hearLate(
        ZOE,
        Array.from({ length: 50 }, (_, k) => `Text ${i + k}`),
        new Date(),
      )
    await fixture.signIn()

    await fixture.visit('/messages')
    const search = page.getByLabel('Name, number or text')
    for (const [words, count] of [
      ['zimmer FUR rechnung', '1 message'],
      ['zimmer fur 6', '0 messages'],
      ['weiss 20', '2 messages'],
      ['ss zoe', '200 messages'],
      ['zimmer +49151876', '1 message'],
    ] as const) {
      await search.fill(words)
      await page.getByText(count, { exact: true }).waitFor()
    }

    await fixture.visit('/conversations')
    const list = page.getByRole('region', { name: 'Conversations' })
    const older = list.getByRole('heading', { name: 'In older texts and notes' })
    await list.getByLabel('Search').fill('text 20')
    await older.waitFor()
    const release = await holdRequests(page, '**/api/collections/sms_messages/records*')
    await list.getByLabel('Search').fill('zimmer rechnung')
    await list.getByRole('link', { name: /Rechnung/ }).waitFor()
    expect(await older.count()).toBe(0)
    release()
    await list.getByRole('link', { name: /Rechnung/ }).click()
    await page.getByRole('log').locator('[aria-current]').waitFor()
    await page.getByRole('button', { name: 'To the newest' }).waitFor({ state: 'detached' })

    // the palette, and the thread of a found text
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('zoë TEXT 20')
    await page.getByText('Nothing found').waitFor()
    await page.getByRole('combobox').fill('20 text')
    const found = page.getByRole('option', { name: /: Text 20$/ })
    await found.waitFor()
    await fixture.look('palette-texts')
    await found.click()
    await page.getByRole('heading', { name: 'Zoë Weiß' }).waitFor()
    await page.getByRole('log').locator('[aria-current]').filter({ hasText: 'Text 20' }).waitFor()
  },
  {},
  { ms: 200_000 },
)
