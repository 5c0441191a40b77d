import { type BrowserFixture, scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const ROWS = `phone,name,time
+49 151 1000001,Anna,7 pm
0151 20000002,Ben,8 pm
+49 151 1000003,,9 pm
call me,Dan,9 pm
`

const choose = ({ page }: BrowserFixture, text: string) =>
  page
    .getByLabel('An Excel, CSV or vCard file')
    .setInputFiles({ name: 'tables.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

scenario('each row of a list gets its own text once', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(fixture.url, ann, 'desk phone')
  const user = ann.authStore.record!.id
  await ann.collection('sms_templates').create({ user, name: 'Table', body: 'Hi {{name}}, ' })
  await fixture.signIn()
  await fixture.visit('/send')
  await page.getByRole('link', { name: 'Send to a list' }).click()
  await page.getByRole('heading', { name: 'Send to a list' }).waitFor()
  await choose(fixture, ROWS)
  const text = page.getByLabel('Text', { exact: true })
  await text.waitFor()
  await page.getByRole('button', { name: 'Send 3 texts' }).click()
  await page.getByText('Write a text first.').waitFor()
  await text.fill('Hi {{nome}}')
  await page.getByRole('button', { name: 'Send 3 texts' }).click()
  await page.getByText('There is no column for {{nome}}.').waitFor()
  await page.getByLabel('Start with a template').selectOption({ label: 'Table' })
  await text.press('End')
  await text.pressSequentially('see you at ')
  await page.getByRole('button', { name: 'time', exact: true }).click()
  await page.getByText('Hi Ben, see you at 8 pm').waitFor()
  await page.getByText('2 texts, 2 segments; 2 rows to leave out').waitFor()
  await page.getByText('Rows left out: 2').waitFor()
  await page.getByText('Nothing in “name”').waitFor()
  await fixture.look('list-preview')

  // the first answer is lost
  await page.route(
    '**/api/sms/send',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await page.getByRole('button', { name: 'Send 2 texts' }).click()
  await page.getByText('There was no answer.').waitFor()
  await fixture.look('list-no-answer')
  await page.getByRole('button', { name: 'Go on with' }).click()
  await page.getByText('Sent before').waitFor()
  await fixture.look('list-done')
  const sent = (await phone.claim()).map(({ to, body }) => [to, body]).sort()
  expect(sent).toEqual([
    ['+491511000001', 'Hi Anna, see you at 7 pm'],
    ['+4915120000002', 'Hi Ben, see you at 8 pm'],
  ])
  await page.getByRole('link', { name: 'See what becomes of them' }).click()
  await page.getByText('2 messages', { exact: true }).waitFor()

  // the mended file: only what is new goes out
  await fixture.visit('/send/list')
  await choose(fixture, ROWS.replace('1000003,,', '1000003,Cleo,').replace('0151', '+49151'))
  await text.fill('Hi {{name}}, see you at {{time}}')
  await page.getByText('Later', { exact: true }).click()
  await page.getByLabel('Send at').fill('2020-01-01T10:00')
  await page.getByRole('button', { name: 'Schedule 3 texts' }).click()
  await page.getByText('This time is past.').waitFor()
  await page.getByText('Now', { exact: true }).click()
  await page.getByRole('button', { name: 'Send 3 texts' }).click()
  await page.getByText('is not sent twice').waitFor()
  expect(await page.locator('.figures dd').allTextContents()).toEqual(['1', '2', '1'])
  expect((await ann.collection('sms_messages').getList(1, 1)).totalItems).toBe(3)
})

scenario(
  'a list for people with proof of consent leaves out and names all others',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(fixture.url, ann, 'desk phone')
    const user = ann.authStore.record!.id
    await ann
      .collection('consents')
      .create({ user, number: '+491511000001', event: 'opt_in', shown: 'Offers' })
    await fixture.signIn()
    await fixture.visit('/send/list')
    await choose(fixture, ROWS)
    await page.getByLabel('Text', { exact: true }).fill('Sale')
    await page.getByText('3 texts, 3 segments').waitFor()
    await page.getByLabel('Send only to people with proof of consent').check()
    await page.getByText('1 text, 1 segment; 3 rows to leave out').waitFor()
    await page.getByText('Rows left out: 3').waitFor()
    expect(await page.getByText('No proof of consent', { exact: true }).count()).toBe(2)
    await fixture.look('list-consent')
    await page.getByRole('button', { name: 'Send 1 text' }).click()
    await page.getByText('Accepted').waitFor()
    expect((await phone.claim()).map(({ to, body }) => [to, body])).toEqual([
      ['+491511000001', 'Sale'],
    ])
  },
)

const MANY = 25
const MANY_ROWS = [
  'phone,name',
  ...Array.from({ length: MANY }, (_, i) => `+49151${2_000_000 + i},P${i}`),
]

scenario(
  'a send to a long list is confirmed and can be undone before it leaves',
  playLongList,
  {},
  { ms: 240_000 },
)

async function playLongList(fixture: BrowserFixture) {
  const { page } = fixture
  const ann = await fixture.ann()
  await pairPhone(fixture.url, ann, 'desk phone')
  const sent = async () => (await ann.collection('sms_messages').getList(1, 1)).totalItems
  await fixture.signIn()
  await fixture.visit('/send/list')
  await choose(fixture, MANY_ROWS.join('\n'))
  const text = page.getByLabel('Text', { exact: true })
  await text.fill('Hi {{name}}')
  const ask = page.getByRole('button', { name: 'Send 25 texts' })
  const agree = page.getByRole('button', { name: 'Send to 25 people' })
  const undo = page.getByRole('button', { name: 'Undo' })

  await ask.click()
  await page.getByRole('heading', { name: 'Send to 25 people?' }).waitFor()
  await page.getByText('25 texts go to 25 people, which takes 25 segments in all.').waitFor()
  await page.getByRole('dialog').getByText('Hi P0', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Not yet' }).click()
  expect(await text.inputValue()).toBe('Hi {{name}}')

  await ask.click()
  await agree.click()
  await page.getByText(/Sending in \d+ s/).waitFor()
  await undo.click()
  await page.getByText('Undone: nobody gets it').waitFor()
  expect(await sent()).toBe(0)

  // who leaves the page undoes it, too; the second hold is over only after the first would have been
  await ask.click()
  await agree.click()
  await undo.waitFor()
  await fixture.visit('/send')
  await fixture.visit('/send/list')
  await choose(fixture, MANY_ROWS.join('\n'))
  await text.fill('Hello {{name}}')
  await ask.click()
  await agree.click()
  await undo.waitFor()
  expect(await sent()).toBe(0)
  await page.getByRole('heading', { name: 'Done' }).waitFor({ timeout: 20_000 })
  expect(await sent()).toBe(MANY)
  const bodies = await ann.collection('sms_messages').getFullList({ fields: 'body' })
  expect(bodies.every(({ body }) => body.startsWith('Hello P'))).toBe(true)

  // what is scheduled asks, and is not held
  await fixture.visit('/send')
  await fixture.visit('/send/list')
  await choose(fixture, MANY_ROWS.join('\n'))
  await text.fill('Later {{name}}')
  await page.getByText('Later', { exact: true }).click()
  await page.getByLabel('Send at').fill('2090-01-01T10:00')
  await page.getByRole('button', { name: 'Schedule 25 texts' }).click()
  await page.getByText('They leave on').waitFor()
  await page.getByRole('button', { name: 'Schedule for 25 people' }).click()
  await page.getByRole('heading', { name: 'Done' }).waitFor()
  expect(await sent()).toBe(2 * MANY)
}
