import { expect } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { ANN, scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const CONTACTS = 200
const REPLIES = 12
const numberOf = (i: number) => `+49151200${String(10_000 + i)}`
const SHEET = [
  'Name,Mobile',
  ...Array.from({ length: CONTACTS }, (_, i) => `Customer ${i},0151 200${10_000 + i}`),
]

scenario('a day of a shop: import, campaign with Undo, replies, an answer', async (fixture) => {
  const { page, url, screen } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(url, ann, 'desk phone')
  await fixture.signIn()

  // 200 contacts with national numbers
  await fixture.visit('/contacts')
  await page.getByRole('button', { name: 'Import' }).first().click()
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(SHEET.join('\n')) })
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Import/ })
    .click()
  const imported = async () => (await ann.collection('contacts').getList(1, 1)).totalItems
  await expect.poll(imported, { timeout: 60_000 }).toBe(CONTACTS)

  // a campaign to all of them: taken back once, then sent
  const numbers = Array.from({ length: CONTACTS }, (_, i) => numberOf(i)).join(', ')
  const write = async () => {
    await fixture.visit(`/send?${new URLSearchParams({ to: numbers, text: 'Sale on Saturday from nine.' })}`)
    await page.getByRole('button', { name: /^Send/ }).last().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`${CONTACTS} people`).first().waitFor()
    await dialog.getByText('Sale on Saturday from nine.').waitFor()
    await dialog.getByRole('button', { name: `Send to ${CONTACTS} people` }).click()
  }
  await write()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Canceled').first().waitFor()
  expect((await ann.collection('sms_messages').getList(1, 1, { filter: 'status = "sent"' })).totalItems).toBe(
    0,
  )
  await write()
  let sent = 0
  while (sent < CONTACTS) {
    const tasks = await phone.claim()
    for (const task of tasks) await phone.report(task, 'delivered')
    sent += tasks.length
  }
  await fixture.look('shop-campaign')

  // replies are found, whatever was sent to others
  for (let i = 0; i < REPLIES; i++) await phone.hear(numberOf(i * 7), `Do you have size ${i}?`)
  await fixture.visit('/conversations')
  await page.getByText('Customer 77', { exact: true }).first().waitFor()
  await expect.poll(() => page.title()).toContain(`(${REPLIES})`)
  await fixture.look('shop-conversations')

  // one is answered by the phone that received it
  await page.getByText('Customer 77', { exact: true }).first().click()
  await page
    .getByRole('textbox', { name: /Answer|Text|Message/ })
    .last()
    .fill('Yes, one pair is left.')
  await page.keyboard.press('Control+Enter')
  const [answer] = await phone.claim(1)
  expect(answer).toMatchObject({ to: numberOf(77), body: 'Yes, one pair is left.' })

  // a second browser has it as read
  const second = await openBrowser(url, screen)
  try {
    await second.page.goto(url)
    await second.page.getByLabel('Email').fill(ANN.email)
    await second.page.getByLabel('Password').fill(ANN.password)
    await second.page.getByRole('button', { name: 'Sign in' }).click()
    await expect.poll(() => second.page.title()).toContain(`(${REPLIES - 1})`)
    expect(second.faults).toEqual([])
  } finally {
    await second.close()
  }
})
