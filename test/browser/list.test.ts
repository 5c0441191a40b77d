import { readFile } from 'node:fs/promises'
import { type BrowserFixture, chooseAction, scenario } from './support/browser-fixture.ts'
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

scenario('a list is a campaign with a text of its own for each row', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(fixture.url, ann, 'desk phone')
  const user = ann.authStore.record!.id
  await ann.collection('sms_templates').create({ user, name: 'Table', body: 'Hi {{name}}, ' })
  await fixture.signIn()
  await fixture.visit('/campaigns')
  await fixture.look('campaign-ways')
  await page.getByRole('link', { name: 'Send to a list' }).click()
  await page.getByRole('heading', { name: 'Send to a list' }).waitFor()
  await choose(fixture, ROWS)
  const text = page.getByLabel('Text', { exact: true })
  await text.waitFor()
  await page.getByRole('button', { name: 'Send 4 texts' }).click()
  await page.getByText('Write a text first.').waitFor()
  await text.fill('Hi {{nome}}')
  await page.getByRole('button', { name: /^Send \d/ }).click()
  await page.getByText('There is no column for {{nome}}.').waitFor()
  await page.getByLabel('Start with a template').selectOption({ label: 'Table' })
  await text.press('End')
  await text.pressSequentially('see you at ')
  await page.getByRole('button', { name: 'time', exact: true }).click()
  await page.getByText('Hi Ben, see you at 8 pm').waitFor()
  await page.getByText('2 texts, 2 segments; 2 rows to leave out').waitFor()
  await page.getByText('Rows left out: 2').waitFor()
  await page.getByText('Nothing in “name”').waitFor()
  await page.getByText('Not a phone number').waitFor()
  await fixture.look('list-preview')

  // the first answer is lost
  await fixture.refused(/^POST \/api\/campaigns/, async () => {
    await page.route(
      '**/api/campaigns',
      async (route) => {
        await route.fetch()
        await route.fulfill({ status: 503, json: { message: 'Away', status: 503, data: {} } })
      },
      { times: 1 },
    )
    await page.getByRole('button', { name: 'Send 2 texts' }).click()
    await page.getByText('Away').waitFor()
  })
  await page.getByRole('button', { name: 'Send 2 texts' }).click()
  await page.getByRole('heading', { name: 'Recipients' }).waitFor()
  expect((await ann.collection('campaigns').getFullList()).length).toBe(1)
  const rows = page.getByRole('region', { name: 'Recipients' }).or(page.locator('.card').last())
  await rows.getByText('Nothing in “name”').waitFor()
  await fixture.look('list-rows')
  const sent = (await phone.claim()).map(({ to, body }) => [to, body]).sort()
  expect(sent).toEqual([
    ['+491511000001', 'Hi Anna, see you at 7 pm'],
    ['+4915120000002', 'Hi Ben, see you at 8 pm'],
  ])
  await rows.getByText('Left out', { exact: true }).click()
  await rows.getByText('Not a phone number').waitFor()
  await rows.getByRole('cell', { name: /Anna|1511000001/ }).waitFor({ state: 'detached' })
  const download = page.waitForEvent('download')
  await rows.getByRole('button', { name: 'Save them as a file' }).click()
  const csv = await readFile((await (await download).path())!, 'utf8')
  expect(csv.trimEnd().split('\r\n')).toEqual([
    '\ufeffNumber,phone,name,time,Row,What is wrong',
    '+491511000003,+49 151 1000003,,9 pm,4,Nothing in “name”',
    'call me,call me,Dan,9 pm,5,Not a phone number',
  ])
})

scenario(
  'a list with the text of an earlier campaign is sent after a question only',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    await pairPhone(fixture.url, ann, 'desk phone')
    await fixture.signIn()
    const count = async () => (await ann.collection('campaigns').getFullList()).length
    const send = async () => {
      await fixture.visit('/send/list')
      await choose(fixture, ROWS)
      await page.getByLabel('Text', { exact: true }).fill('Table at {{time}}')
      await page.getByRole('button', { name: 'Send 3 texts' }).click()
    }
    await send()
    await page.getByRole('heading', { name: 'Recipients' }).waitFor()
    await send()
    const question = page.getByRole('dialog', { name: 'Send it again?' })
    await question.getByText('Whoever is in both lists gets it twice.').waitFor()
    await fixture.look('same-text')
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await count()).toBe(1)
    await page.getByRole('button', { name: 'Send 3 texts' }).click()
    await question.getByRole('button', { name: 'Send it again' }).click()
    await page.getByRole('heading', { name: 'Recipients' }).waitFor()
    expect(await count()).toBe(2)
  },
)

scenario(
  'the columns with the numbers are kept for the next file of the same titles',
  async (fixture) => {
    const { page } = fixture
    await pairPhone(fixture.url, await fixture.ann(), 'desk phone')
    await fixture.signIn()
    const file = 'mobile,office,name\n+491511000001,+491511000002,Anna\n'
    await fixture.visit('/send/list')
    await choose(fixture, file)
    await page.getByLabel('Numbers are in').selectOption({ label: 'office' })
    await page.getByRole('button', { name: 'Another file' }).click()
    await choose(fixture, file.replace('Anna', 'Ben'))
    const column = page.getByLabel('Numbers are in')
    expect(await column.locator('option:checked').textContent()).toBe('office')
    await page.getByLabel('Text', { exact: true }).fill('Hi {{name}}')
    await page.getByText('Hi Ben').waitFor()
  },
  {},
  { widths: [1280] },
)

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
    expect(await page.getByText('No proof of consent', { exact: true }).count()).toBe(2)
    await fixture.look('list-consent')
    await page.getByRole('button', { name: 'Send 1 text' }).click()
    await page.getByRole('heading', { name: 'Recipients' }).waitFor()
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
  'a long list is confirmed, and stays at the server when its tab is closed',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    await pairPhone(fixture.url, ann, 'desk phone')
    await fixture.signIn()
    await fixture.visit('/send/list')
    await choose(fixture, MANY_ROWS.join('\n'))
    await page.getByLabel('Text', { exact: true }).fill('Hi {{name}}')
    const ask = page.getByRole('button', { name: 'Send 25 texts' })
    await ask.click()
    await page.getByRole('heading', { name: 'Send to 25 people?' }).waitFor()
    await page.getByRole('dialog').getByText('Hi P0', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Not yet' }).click()
    await page.getByText('Later', { exact: true }).click()
    await page.getByLabel('Send at').fill('2090-01-01T10:00')
    await page.getByRole('button', { name: 'Schedule 25 texts' }).click()
    await page.getByText('They are sent on').waitFor()
    await page.getByRole('button', { name: 'Schedule for 25 people' }).click()
    await page.getByRole('heading', { name: 'Recipients' }).waitFor()
    const address = page.url()
    await page.goto('about:blank')
    await page.goto(address)
    await chooseAction(fixture, 'Cancel the campaign')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the campaign' }).click()
    await page.getByText('Campaign canceled').waitFor()
    const rows = await ann.collection('campaign_recipients').getList(1, 1)
    expect(rows.totalItems).toBe(MANY)
  },
)
