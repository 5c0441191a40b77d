import { scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const SIMS = [
  { slot: 1, operator: 'Telekom' },
  { slot: 2, operator: 'A1' },
]
const ZOE = '+4915112345678'

scenario('an automatic answer is created, sent, changed, disabled and deleted', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(url, ann, 'Desk', SIMS)
  const user = ann.authStore.record!.id
  await ann
    .collection('sms_templates')
    .create({ user, name: 'Prices', body: 'Hello {{name}}, 5 EUR.' })
  await ann.collection('labels').create({ user, name: 'VIP', color: 'red' })
  await fixture.signIn()
  // a phone has the pages to set up behind More, other windows on a page of their own
  if (fixture.screen === 'phone') await page.getByRole('button', { name: 'More' }).click()
  else await page.getByRole('link', { name: 'Set up' }).click()
  await page.getByRole('link', { name: 'Automatic answers' }).filter({ visible: true }).click()
  await page.getByText('No automatic answers yet').waitFor()
  await fixture.look('auto-answers-empty')

  await page.getByRole('button', { name: 'New automatic answer' }).click()
  const dialog = page.getByRole('dialog')
  const save = dialog.getByRole('button', { name: 'Save' })
  await dialog.getByLabel('Name').fill('Prices')
  await dialog.getByLabel('Which texts get this answer').selectOption('first_word')
  await dialog.getByLabel('Words').fill(', ,')
  await dialog.getByLabel('Answer', { exact: true }).fill('5 EUR')
  const refusal = /^POST \/api\/collections\/auto_answers\/records: 400/
  await fixture.refused(refusal, async () => {
    await save.click()
    await dialog.getByText('Fill this in.').waitFor()
  })
  await dialog.getByLabel('Which texts get this answer').selectOption('contains')
  await dialog.getByLabel('Words').fill('price, prices')
  await dialog.getByLabel('Answer', { exact: true }).fill('')
  await fixture.refused(refusal, async () => {
    await save.click()
    await dialog.getByText('Write a text, or choose a template.').waitFor()
  })
  await dialog.getByLabel('Answer', { exact: true }).fill('5 EUR each')
  // the error of a value that was changed since
  expect(await dialog.getByText('Write a text, or choose a template.').count()).toBe(0)
  await dialog.getByText('In the time zone UTC.').waitFor()
  await dialog.getByLabel('Pause in hours').fill('0')
  await save.click()
  await page.getByText('Automatic answer saved').waitFor()
  await page.getByText('The text contains price, prices').waitFor()

  await phone.hear(ZOE, 'What is your price?')
  expect(await phone.claim()).toMatchObject([{ to: ZOE, body: '5 EUR each' }])

  await page.getByRole('button', { name: 'Prices', exact: true }).click()
  await dialog.getByLabel('Desk · SIM 2').check()
  await dialog.getByLabel('From').fill('18:00')
  await save.click()
  await dialog.getByText('Set both times, or none.').waitFor()
  await dialog.getByLabel('Until').fill('08:00')
  await dialog.getByLabel('Answer with').selectOption({ label: 'Template Prices' })
  await dialog.getByLabel('Label').selectOption('VIP')
  await save.click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('on one line').waitFor()
  await page.getByRole('cell', { name: 'VIP Template Prices' }).waitFor()
  const answers = ann.collection('auto_answers')
  const [second] = await ann.collection('lines').getFullList({ filter: 'slot = 2' })
  const [template] = await ann.collection('sms_templates').getFullList()
  expect(await answers.getFullList()).toMatchObject([
    {
      name: 'Prices',
      match: 'contains',
      value: 'price, prices',
      lines: [second!.id],
      hours_from: '18:00',
      hours_to: '08:00',
      days: [],
      body: '',
      template: template!.id,
      pause_hours: 0,
      enabled: true,
    },
  ])

  // the deletion of a template names the answer, which is then marked
  await fixture.visit('/templates')
  await page.getByRole('button', { name: 'Delete Prices' }).click()
  await dialog.getByText('Automatic answers that then send nothing: Prices.').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Template deleted').waitFor()
  await fixture.visit('/answers')
  const warning = page.getByText('Nothing is sent: its template was deleted.')
  await warning.waitFor()
  const { x, width } = (await warning.boundingBox())!
  expect([x, page.viewportSize()!.width - x - width].every((room) => room > 0)).toBe(true)

  await page.getByRole('button', { name: 'Switch off' }).click()
  await expect.poll(async () => (await answers.getFullList())[0]!.enabled).toBe(false)
  await page.getByRole('button', { name: 'Delete Prices' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No automatic answers yet').waitFor()
})
