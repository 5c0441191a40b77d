import { type BrowserFixture, fillSignIn, scenario } from '../support/browser-fixture.ts'
import { isNarrow } from '../support/inbox-layout.ts'
import { type Phone, pairPhone } from '../support/phone.ts'

/** The people of the shop in shop-day.test.ts, and what is written between them. */

const CUSTOMERS = 200
const CITIES = ['Kiel', 'Bremen', 'Köln', 'Frankfurt am Main'] as const

const TEMPLATE =
  'Hello {{name}}, our winter sale in {{city}} begins on Saturday at nine. Boots and coats are at half price. Reply with your size, or with STOP to get no more.'
/** The same as somebody types it. */
const TYPED = TEMPLATE.replace('{{name}}', '{{Name}}').replace('{{city}}', '{{ City }}')
/** One each; the longest city, which every fourth has, makes it two. */
const SEGMENTS = 250

const nameOf = (i: number) => `Customer ${i}`
const numberOf = (i: number) => `+49151200${10_000 + i}`
const cityOf = (i: number) => CITIES[i % CITIES.length]!

/** The template as a customer gets it. */
const textFor = (i: number) =>
  TEMPLATE.replace('{{name}}', nameOf(i)).replace('{{city}}', cityOf(i))

/** A file to import: numbers as people write them, and a column that contacts keep. */
const SHEET = [
  'Name,Mobile,City',
  ...Array.from({ length: CUSTOMERS }, (_, i) => `${nameOf(i)},0151 200${10_000 + i},${cityOf(i)}`),
].join('\n')

/** Who replies, in the order in which they do. */
const REPLIERS = Array.from({ length: 12 }, (_, i) => i * 7)
/** The one of them who wants no more texts. */
const STOPPED = 35
const replyOf = (i: number) => (i === STOPPED ? 'STOP' : `Do you have size ${30 + i / 7}?`)

/** Somebody who wrote before, and is no customer. */
const STRANGER = '+447700900123'

const UNREAD = REPLIERS.length
/** Who is answered, and by which way to send; nobody of them has said STOP. */
const ANSWERED = [77, 63, 21] as const
const READ_ELSEWHERE = 0

scenario(
  'a shop imports customers, writes a template, sends a campaign with undo and answers replies',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(url, ann, 'desk phone')
    await writeYesterday(fixture, phone)
    await fixture.signIn()
    await importCustomers(fixture)
    await writeTemplate(fixture)

    await fixture.visit('/send')
    await chooseWhat(fixture)
    await confirmSend(fixture)
    await undo(fixture, phone)
    // the same once more, now typed as a text, to the end
    await page.getByRole('link', { name: 'Duplicate' }).click()
    await page.getByText('Write a text', { exact: true }).click()
    await page.getByLabel('Text', { exact: true }).fill(TYPED)
    await page.getByRole('button', { name: 'City', exact: true }).waitFor()
    await page.getByText(textFor(0), { exact: true }).waitFor()
    await confirmSend(fixture)
    await sendAll(fixture, phone)
    await hearReplies(fixture, phone)

    await findReplies(fixture)
    await answer(fixture, phone)
    await readElsewhere(fixture)
  },
  {},
  { ms: 300_000, widths: [1440, 768, 390] },
)

/** A conversation of the day before, which is read. */
async function writeYesterday(fixture: BrowserFixture, phone: Phone): Promise<void> {
  const ann = await fixture.ann()
  await phone.hear(STRANGER, 'Thank you, until tomorrow.')
  const { id } = await ann.collection('conversations').getFirstListItem('')
  await ann.collection('conversations').update(id, { unread: 0 })
}

/** 200 rows with national numbers become members of a new group, with their city. */
async function importCustomers(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  await fixture.visit('/contacts')
  await page.getByRole('button', { name: 'Import' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog
    .getByLabel('An Excel, CSV or vCard file')
    .setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(SHEET) })
  await dialog.getByText(`${CUSTOMERS} contacts to import`, { exact: true }).waitFor()
  await dialog.getByLabel('City', { exact: true }).check()
  await dialog.getByLabel('Put all of them into').selectOption('new')
  await dialog.getByLabel('Name of the new group').fill('Customers')
  await dialog.getByRole('button', { name: `Import ${CUSTOMERS}` }).click()
  const done = dialog.getByRole('button', { name: 'Done' })
  await done.waitFor({ timeout: 60_000 })
  // added, changed, left as they were, left out
  expect(await dialog.locator('.figures dd').allTextContents()).toEqual([
    `${CUSTOMERS}`,
    '0',
    '0',
    '0',
  ])
  await done.click()
  await page.getByText(nameOf(0), { exact: true }).waitFor()
}

async function writeTemplate(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  await fixture.visit('/templates')
  await page.getByRole('button', { name: 'New template' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Winter sale')
  await dialog.getByLabel('Text', { exact: true }).fill(TEMPLATE)
  await dialog.getByLabel('Preview').getByText(textFor(0), { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'Winter sale', exact: true }).waitFor()
}

/** On the Send page: the template, to the group. */
async function chooseWhat({ page }: BrowserFixture): Promise<void> {
  await page.getByRole('button', { name: 'Groups', exact: true }).click()
  await page.getByText(`${CUSTOMERS} members`).waitFor()
  await page.getByLabel('Customers').check()
  await page.keyboard.press('Escape')
  await page.getByText('Use a template').click()
  await page.getByLabel('Template', { exact: true }).selectOption({ label: 'Winter sale' })
}

/** Sends from the Send page, and reads what is asked before. */
async function confirmSend(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  await page.getByText(`${CUSTOMERS} people, ${SEGMENTS} segments`).waitFor()
  await page.getByRole('button', { name: `Send to ${CUSTOMERS} people` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('heading', { name: `Send to ${CUSTOMERS} people?` }).waitFor()
  const told = await dialog.locator('strong').allTextContents()
  expect(told).toEqual([`${CUSTOMERS} people`, `${SEGMENTS} segments`])
  // members go by name
  await dialog.getByText('The first text, to +49 1512 0010000:').waitFor()
  await dialog.getByText(textFor(0), { exact: true }).waitFor()
  await dialog.getByRole('button', { name: `Send to ${CUSTOMERS} people` }).click()
  await page.getByText(/^Sending in \d+ s$/).waitFor()
}

/** Takes the campaign back: the phone, which waits beyond the 10 seconds, gets nothing. */
async function undo({ page }: BrowserFixture, phone: Phone): Promise<void> {
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone: nobody gets it').waitFor()
  expect(await phone.claim()).toEqual([])
  await page.locator('.page-title').getByText('Canceled', { exact: true }).waitFor()
  expect(await phone.claim()).toEqual([])
}

/** The phone sends all texts while the page of the campaign shows how far it is. */
async function sendAll(fixture: BrowserFixture, phone: Phone): Promise<void> {
  const { page } = fixture
  const texts: [string, string][] = []
  while (texts.length < CUSTOMERS) {
    const tasks = await phone.claim()
    await Promise.all(tasks.map((task) => phone.report(task, 'delivered')))
    texts.push(...tasks.map(({ to, body }): [string, string] => [to, body]))
    await page.getByText(`${texts.length} of ${CUSTOMERS} done`).waitFor()
  }
  expect(texts.length).toBe(CUSTOMERS)
  const wanted = Array.from({ length: CUSTOMERS }, (_, i) => [numberOf(i), textFor(i)] as const)
  expect(new Map(texts)).toEqual(new Map(wanted))
  expect(new Map(texts).get(numberOf(3))).toContain(
    `Hello ${nameOf(3)}, our winter sale in ${CITIES[3]} `,
  )
  await page.getByRole('link', { name: `${CUSTOMERS} delivered` }).waitFor()
  await page.locator('.page-title').getByText('Done', { exact: true }).waitFor()
}

/** Replies come in, one of them STOP: the page of the campaign tells of them. */
async function hearReplies(fixture: BrowserFixture, phone: Phone): Promise<void> {
  const { page } = fixture
  for (const i of REPLIERS) await phone.hear(numberOf(i), replyOf(i))
  // replies, opted out, segments
  await expect
    .poll(() => page.locator('.figures dd').allTextContents())
    .toEqual([`${UNREAD}`, '1', `${SEGMENTS} of ${SEGMENTS}`])
  const replies = page.locator('.campaign-replies')
  const names = () => replies.getByRole('link').allTextContents()
  await expect.poll(names).toEqual(REPLIERS.toReversed().map(nameOf))
  await replies.getByText('STOP', { exact: true }).waitFor()
  await fixture.look('shop-campaign')
}

/** The count of unread conversations, in the title and in the navigation. */
async function expectUnread({ page }: Pick<BrowserFixture, 'page'>, count: number): Promise<void> {
  await expect.poll(() => page.title()).toMatch(new RegExp(`^\\(${count}\\) `))
  await page
    .getByRole('link', { name: new RegExp(`^(Conversations|Inbox) ?${count} unread$`) })
    .waitFor()
}

const listOf = ({ page }: Pick<BrowserFixture, 'page'>) =>
  page.getByRole('region', { name: 'Conversations' })

/** Who is in the list of conversations, from the top; not who has older texts that were found. */
const namesIn = (fixture: BrowserFixture) =>
  listOf(fixture).getByRole('list').first().locator('.conversations-who').allTextContents()

/** Replies are at the top, whatever was sent to others, and are found. */
async function findReplies(fixture: BrowserFixture): Promise<void> {
  for (const path of ['/templates', '/conversations']) {
    await fixture.visit(path)
    await expectUnread(fixture, UNREAD)
  }
  const names = REPLIERS.toReversed().map(nameOf)
  await expect.poll(() => namesIn(fixture)).toEqual([...names, '+44\u00a07700\u00a0900123'])
  expect(
    await listOf(fixture)
      .getByRole('link', { name: /1 unread/ })
      .count(),
  ).toBe(UNREAD)

  const search = listOf(fixture).getByLabel('Search')
  await search.fill('customer 49')
  await expect.poll(() => namesIn(fixture)).toEqual([nameOf(49)])
  await search.fill(numberOf(56).slice(-5))
  await expect.poll(() => namesIn(fixture)).toEqual([nameOf(56)])
  await search.fill('winter sale')
  await listOf(fixture).getByText('In older texts').waitFor()
  await search.fill('')
  await expect.poll(async () => (await namesIn(fixture)).length).toBe(UNREAD + 1)
}

/** Some are answered, by the phone that received them, which makes them read. */
async function answer(fixture: BrowserFixture, phone: Phone): Promise<void> {
  const { page } = fixture
  for (const [at, i] of ANSWERED.entries()) {
    await listOf(fixture)
      .getByRole('link', { name: nameOf(i) })
      .click()
    await page.getByRole('heading', { name: nameOf(i), exact: true }).waitFor()
    const texts = page.getByLabel('Texts')
    // not the one of the campaign that was undone, if it was stored before
    const sent = texts.getByRole('article').filter({ hasText: textFor(i) })
    await sent.filter({ hasText: 'Delivered' }).waitFor()
    await texts.getByText(replyOf(i)).waitFor()
    const body = `Yes, one pair is left for you, ${nameOf(i)}.`
    await page.getByLabel('Answer from desk phone').fill(body)
    if (at === 0) await page.keyboard.press('Control+Enter')
    else await page.getByRole('button', { name: 'Send', exact: true }).click()
    const tasks = await phone.claim()
    expect(tasks).toMatchObject([{ to: numberOf(i), body }])
    await phone.report(tasks[0]!, 'delivered')
    await texts.getByText(body).waitFor()
    // a conversation covers the list in a narrow window
    if (isNarrow(fixture)) await page.getByRole('link', { name: 'All conversations' }).click()
    await expectUnread(fixture, UNREAD - at - 1)
  }
  await fixture.visit('/conversations')
  const names = ANSWERED.toReversed().map(nameOf)
  await expect.poll(async () => (await namesIn(fixture)).slice(0, names.length)).toEqual(names)
}

/** A second browser of the same user knows what was read in the first, and the other way round. */
async function readElsewhere(fixture: BrowserFixture): Promise<void> {
  const { url, say } = fixture
  const left = UNREAD - ANSWERED.length
  const second = await fixture.another()
  const linkIn = (browser: Pick<BrowserFixture, 'page'>, i: number) =>
    listOf(browser).getByRole('link', { name: nameOf(i) })
  await fillSignIn(second, url, 'ann', say)
  await second.page.goto(`${url}/#/conversations`)
  await expectUnread(second, left)
  for (const i of ANSWERED) {
    await linkIn(second, i).getByText('You: Yes, one pair is left').waitFor()
    expect(await linkIn(second, i).textContent()).not.toContain('unread')
  }
  expect(await linkIn(fixture, READ_ELSEWHERE).textContent()).toContain('1 unread')
  await linkIn(second, READ_ELSEWHERE).click()
  await second.page.getByLabel('Texts').getByText(replyOf(READ_ELSEWHERE)).waitFor()
  await expectUnread(fixture, left - 1)
  if (isNarrow(second)) await second.page.getByRole('link', { name: 'All conversations' }).click()
  await expectUnread(second, left - 1)
  await expect.poll(() => linkIn(fixture, READ_ELSEWHERE).textContent()).not.toContain('unread')
  // whoever said STOP is still unread, in both
  for (const browser of [fixture, second])
    expect(await linkIn(browser, STOPPED).textContent()).toContain('1 unread')
}
