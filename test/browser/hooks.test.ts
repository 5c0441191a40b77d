import { scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const ALARM = '[Shop] [🔴 Down] timeout of 48000ms exceeded'

scenario('a hook is created, tested and sends a posted text', async (fixture) => {
  const { page } = fixture
  const phone = await pairPhone(fixture.url, await fixture.ann(), 'Desk phone')
  await fixture.signIn()
  await fixture.visit('/hooks')
  await page.getByText('No incoming webhooks yet').waitFor()
  await page.getByRole('button', { name: 'New incoming webhook' }).click()
  await page.getByLabel('Program', { exact: true }).selectOption('Uptime Kuma')
  await page.getByRole('button', { name: 'Create the webhook' }).click()
  await page.getByText('Nobody gets the texts yet').waitFor()
  await page.getByLabel('Texts go to these numbers').fill('0151 12345678')
  await page.getByLabel('Country of numbers').selectOption('DE')
  const text = page.locator('figure', { hasText: ALARM })
  await text.waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Incoming webhook saved').waitFor()
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByText('One text is on its way').waitFor()
  const [task] = await phone.claim()
  expect(task).toMatchObject({ to: '+4915112345678', body: ALARM })

  const address = await page.locator('.code-block code').first().innerText()
  const post = async (body: object) =>
    (await fetch(address, { method: 'POST', body: JSON.stringify(body) })).status
  expect(await post({ alerts: [] })).toBe(400)
  const calls = page.getByRole('table', { name: 'The last calls' })
  await calls.getByText('The body has no msg.').waitFor()
  await page.getByText('More: repetitions').click()
  await fixture.look('hook')
  await calls.getByRole('button', { name: 'Use as example' }).first().click()
  await text.waitFor({ state: 'detached' })
  await page.getByLabel('Template', { exact: true }).fill('{{count}} alarms')
  await page.getByText('The body has no count.').first().waitFor()

  await page.getByRole('button', { name: 'Change the address' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Change the address' }).click()
  await page.getByText('The address has changed').waitFor()
  expect(await post({ msg: 'Hi' })).toBe(404)
})
