import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const SIMS = [
  { slot: 1, number: '+4915120000010', operator: 'Telekom' },
  { slot: 2, operator: 'A1' },
]

/** The part of the page that shows one line. */
const lineOf = ({ page }: BrowserFixture, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })

scenario('the lines of a phone with two SIMs are shown, limited and disabled', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(url, ann, 'Desk', SIMS)
  await fixture.signIn()
  await fixture.visit(`/devices/${phone.id}`)
  const first = lineOf(fixture, '+49 1512 0000010')
  await first.getByText('Telekom').waitFor()
  await lineOf(fixture, 'SIM 2').getByText('No limits').waitFor()

  await page.getByRole('button', { name: 'Change SIM 2' }).click()
  await page.getByLabel('Label').fill('Austria')
  await page.getByLabel('Number', { exact: true }).fill('+43 12')
  await page.getByLabel('For numbers that begin with').fill('Austria')
  const save = page.getByRole('dialog').getByRole('button', { name: 'Save' })
  await save.click()
  await page.getByRole('dialog').getByText('Write first digits such as').waitFor()
  await page.getByRole('dialog').getByText('Too short for a phone number').waitFor()
  await page.getByLabel('For numbers that begin with').fill('+43, 0043 66')
  await page.getByLabel('Number', { exact: true }).fill('+43 664 1234567')
  await page.getByLabel('Texts a month').fill('-1')
  await fixture.refused(/^PATCH \/api\/collections\/lines\/records\/\w+: 400/, async () => {
    await save.click()
    await page.getByText('Use 0 or more.').waitFor()
  })
  await page.getByLabel('Texts a month').fill('5')
  await page.getByLabel('Different numbers a month').fill('1')
  await save.click()
  await page.getByText('Line saved').waitFor()
  const austria = lineOf(fixture, 'Austria')
  await austria.getByText('for numbers with +43, +4366').waitFor()

  const [line] = (await ann.collection('lines').getFullList({ filter: 'slot = 2' })) as [
    { id: string },
  ]
  expect(line).toMatchObject({
    label: 'Austria',
    number: '+436641234567',
    prefixes: '+43,+4366',
    monthly_limit: 5,
    monthly_recipients: 1,
    daily_limit: 0,
    enabled: true,
  })
  for (const body of ['1', '2', '3', '4'])
    await ann.send('/api/sms/send', {
      method: 'POST',
      body: { recipients: ['+436641111111'], body, line_id: line.id },
    })
  await page.reload()
  await austria.getByText('4 of 5 texts this month: nearly full').waitFor()
  await austria.getByText('1 of 1 different numbers this month: full').waitFor()
  await fixture.look('device-lines')

  await page.getByRole('button', { name: 'Change Austria' }).click()
  await page.getByRole('dialog').getByLabel('Use this line').uncheck()
  await save.click()
  await austria.getByText('Off', { exact: true }).waitFor()
})

scenario(
  'a phone that reports no SIMs has one line, which superusers can change',
  async (fixture) => {
    const { page, url } = fixture
    const phone = await pairPhone(url, await fixture.ann(), 'Desk')
    await fixture.signIn('root')
    await fixture.visit(`/devices/${phone.id}`)
    await lineOf(fixture, 'Chosen by the phone').getByText('No limits').waitFor()
    await page.getByRole('button', { name: 'Change Chosen by the phone' }).click()
    await page.getByLabel('Texts a day').fill('100')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await lineOf(fixture, 'Chosen by the phone').getByText('0 of 100 texts today').waitFor()
    await fixture.look('device-one-line')
  },
)

scenario('a line has prices and a budget, and shows what its texts cost', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(url, ann, 'Desk', SIMS)
  const [settings] = await ann.collection('user_settings').getFullList()
  await ann.collection('user_settings').update(settings!.id, { currency: 'EUR' })
  await fixture.signIn()
  await fixture.visit(`/devices/${phone.id}`)
  await page.getByRole('button', { name: 'Change SIM 2' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Prices and budget').click()
  await dialog.getByLabel('Budget a month').fill('1,00')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('A budget needs prices.').waitFor()
  await dialog.getByLabel('Price of a segment').fill('0.09\n+49 0,075\nfree')
  await dialog.getByText('Write a price in each row').waitFor()
  await dialog.getByLabel('Price of a segment').fill('0.09\n+49 0,075')
  await fixture.inspect('line-prices')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Line saved').waitFor()
  const [line] = (await ann.collection('lines').getFullList({ filter: 'slot = 2' })) as [
    { id: string },
  ]
  expect(line).toMatchObject({
    prices: { default: '0.09', '+49': '0.075' },
    monthly_budget: '1.00',
  })
  await ann.send('/api/sms/send', {
    method: 'POST',
    body: { recipients: ['+4915112345678', '+436641111111'], body: 'Hello', line_id: line.id },
  })
  await page.reload()
  await lineOf(fixture, 'SIM 2').getByText('€0.165 of €1.00 this month').waitFor()
  await fixture.inspect('line-cost')
  await fixture.visit('/usage')
  await page.getByRole('heading', { name: 'Costs by line' }).waitFor()
  await page.getByText('€0.165').waitFor()
  await fixture.inspect('costs')
})
