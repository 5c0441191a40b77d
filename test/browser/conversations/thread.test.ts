import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const ZOE = '+4915112345678'
const TEXTS = 3_000
const AT_ONCE = 100
const HOUR_MS = 3_600_000

/** Where a text is on the screen, in pixels from its top. */
const topOf = async ({ page }: BrowserFixture, text: RegExp) =>
  Math.round((await page.getByRole('log').getByText(text).boundingBox())!.y)

scenario('a conversation of 3,000 texts can be scrolled to its first', play, {}, { ms: 400_000 })

async function play(fixture: BrowserFixture): Promise<void> {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(url, ann, 'Desk phone')
  const night = Date.now() - 9.5 * HOUR_MS
  for (let i = 0; i < TEXTS; i += AT_ONCE) {
    const bodies = Array.from({ length: AT_ONCE }, (_, k) => `Text ${i + k}`)
    await phone.hearLate(ZOE, bodies, new Date(night + i * 10))
  }
  const { id } = await ann.collection('conversations').getFirstListItem('')
  const user = ann.authStore.record!.id
  await ann
    .collection('conversation_notes')
    .create({ user, conversation: id, text: 'She is a regular' })
  await fixture.signIn()

  // what a phone handed in late is in the order in which it came in, and says so
  await fixture.visit('/conversations')
  const list = page.getByRole('region', { name: 'Conversations' })
  await list.getByRole('link', { name: /arrived 9 hr late/ }).waitFor()
  const newestText = await ann.collection('sms_messages').getFirstListItem('', { sort: '-created' })
  const time = await list.getByRole('link').getByRole('time').getAttribute('datetime')
  expect(time).toBe(newestText.created.replace(' ', 'T'))

  // texts of one instant are in their order
  await list.getByRole('link', { name: /unread/ }).click()
  const log = page.getByRole('log')
  await log.getByText(`Text ${TEXTS - 1}`).waitFor()
  const shown = (await log.locator('article p').allTextContents()).map(
    (text) => /Text \d+/.exec(text)?.[0],
  )
  const last = Array.from({ length: 30 }, (_, i) => `Text ${TEXTS - 30 + i}`)
  expect(shown.filter(Boolean).slice(-30)).toEqual(last)

  // older ones come above what is read, which stays where it is
  const kept = new RegExp(`Text ${TEXTS - 25}$`)
  await log.evaluate((box) => box.scrollBy(0, -1_500))
  await log.getByText(kept).scrollIntoViewIfNeeded()
  const place = await topOf(fixture, kept)
  await log.getByText(`Text ${TEXTS - 55}`).waitFor({ state: 'attached' })
  expect(Math.abs((await topOf(fixture, kept)) - place)).toBeLessThan(3)

  // so it does when a new one comes, which is told
  await phone.hear(ZOE, 'One more')
  await phone.hear(ZOE, 'And another')
  const news = page.getByRole('button', { name: '2 new' })
  await news.waitFor()
  const [above, box] = await Promise.all([
    news.boundingBox(),
    page.getByLabel('Answer from').boundingBox(),
  ])
  expect(above!.y + above!.height).toBeLessThan(box!.y)
  expect(Math.abs((await topOf(fixture, kept)) - place)).toBeLessThan(3)
  await fixture.look('thread-new')
  await news.click()
  await expect.poll(async () => log.evaluate((box) => Math.round(box.scrollTop))).toBe(0)

  // to the first
  await expect
    .poll(
      async () => {
        await log.evaluate((box) => box.scrollTo(0, -box.scrollHeight))
        return log.getByText(/Text 0$/).count()
      },
      { timeout: 180_000, interval: 50 },
    )
    .toBe(1)
  await page.getByRole('button', { name: 'To the newest' }).click()
  await log.getByText('And another').waitFor()

  // the search opens the thread at what it found
  await page.goto(`${url}/#/conversations`)
  for (const [words, found] of [
    ['Text 1734', 'Text 1734'],
    ['regular', 'She is a regular'],
  ] as const) {
    await page.goto(`${url}/#/conversations`)
    await list.getByLabel('Search').fill(words)
    await list.getByRole('link', { name: new RegExp(found) }).click()
    const hit = log.locator('[aria-current]')
    await hit.getByText(found).waitFor()
    expect(await hit.evaluate((one) => one.getBoundingClientRect().top > 0)).toBe(true)
  }
  await fixture.look('thread-found')
}
