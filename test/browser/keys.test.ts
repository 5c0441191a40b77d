import { expect } from 'vitest'
import { scenario } from './support/browser-fixture.ts'

scenario('a key is made, shown once, used and revoked', async (fixture) => {
  const { page, url } = fixture
  await fixture.signIn()
  await fixture.visit('/keys')
  await page.getByText('No keys yet').waitFor()
  await fixture.look('keys-empty')
  await page.getByRole('button', { name: 'New key' }).click()
  await fixture.refused(/^POST \/api\/collections\/api_keys\/records: 400/, async () => {
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.getByText('Fill this in.').waitFor()
  })
  await page.getByLabel('Name').fill('web shop')
  await page.getByLabel('Expires').selectOption('In 30 days')
  await page.getByRole('button', { name: 'Make the key' }).click()
  const key = await page.locator('.code-block code').first().innerText()
  expect(key).toMatch(/^psk_\w{40}$/)
  await fixture.look('keys-shown')
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText(`${key.slice(0, 10)}…`).waitFor()
  expect(await page.content()).not.toContain(key)

  const usage = () => fetch(`${url}/api/sms/usage`, { headers: { 'x-api-key': key } })
  expect((await usage()).status).toBe(200)
  await page.reload()
  await page.getByText('just now').first().waitFor()
  await fixture.look('keys')

  await page.getByRole('button', { name: 'Revoke web shop' }).click()
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await page.getByText('No keys yet').waitFor()
  expect((await usage()).status).toBe(401)
})
