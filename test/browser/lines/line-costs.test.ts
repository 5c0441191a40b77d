import { scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const SIMS = [{ slot: 1, number: '+4915120000010' }]
const numbers = (count: number) => Array.from({ length: count }, (_, i) => `+49151100000${10 + i}`)

scenario('the account page sets which line sends and how long carriers wait', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  await fixture.signIn()
  await fixture.visit('/account')
  const choice = page.getByLabel('If several lines can send')
  const minutes = page.getByLabel('Carriers wait (minutes)')
  const priority = page.getByLabel('Texts that do not wait, from priority')
  expect(await choice.inputValue()).toBe('turns')
  expect(await priority.count()).toBe(0)
  await choice.selectOption({ label: 'The cheapest line sends' })
  await minutes.fill('10')
  await priority.fill('5')
  await fixture.look('which-line-sends')
  await page.getByRole('button', { name: 'Save the choice' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  expect(await ann.collection('user_settings').getFullList()).toMatchObject([
    { line_choice: 'cheapest', failover_minutes: 10, failover_priority: 5, country: 'DE' },
  ])
  await page.reload()
  await expect.poll(() => priority.inputValue()).toBe('5')
})

scenario('the box for an answer shows what the answer costs', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(url, ann, 'Desk', SIMS)
  await phone.hear('+4915110000010', 'Are you open?')
  const [line] = await ann.collection('lines').getFullList()
  await ann.collection('lines').update(line!.id, { label: 'Acme', prices: { default: '0.09' } })
  await fixture.signIn()
  await fixture.visit(`/conversations/${encodeURIComponent('+4915110000010')}`)
  await page.getByLabel('Answer from Desk').fill('Yes, until eight')
  await page.getByText('1 by Desk · Acme, about 0.09').waitFor()
  await fixture.look('answer-cost')
})

scenario('a send, a campaign and a list show their costs before they leave', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  await pairPhone(url, ann, 'Desk', SIMS)
  const [line] = await ann.collection('lines').getFullList()
  const prices = { default: '0.09', '+49': '0.075' }
  await ann.collection('lines').update(line!.id, { label: 'Acme', prices })
  const [settings] = await ann.collection('user_settings').getFullList()
  await ann.collection('user_settings').update(settings!.id, { currency: 'EUR' })
  await fixture.signIn()
  await fixture.visit(`/send?to=${numbers(2)},%2B436641111111&text=Hello`)
  await page.getByText('3 by Desk · Acme, about €0.24').waitFor()
  await fixture.look('send-cost')

  await fixture.visit(`/send?to=${numbers(22)}&text=Sale`)
  await page.getByRole('button', { name: 'Send to 22 people' }).click()
  await page.getByRole('dialog').getByText('22 by Desk · Acme, about €1.65').waitFor()
  await fixture.look('campaign-cost')
  await page.getByRole('button', { name: 'Not yet' }).click()

  await fixture.visit('/send/list')
  const rows = `phone,name\n${numbers(2).join(',Ann\n')},Ben\n${numbers(1)},${'long '.repeat(40)}\n`
  await page
    .getByLabel('An Excel, CSV or vCard file')
    .setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) })
  await page.getByLabel('Text', { exact: true }).fill('Hi {{name}}')
  // two texts of one segment, and one of two
  await page.getByText('3 by Desk · Acme, about €0.30').waitFor()
  await fixture.look('list-cost')

  await ann.collection('lines').update(line!.id, { enabled: false })
  await fixture.visit(`/send?to=${numbers(1)}&text=Hello`)
  await page.getByText('1 text has no line now').waitFor()
})
