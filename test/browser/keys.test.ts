import { scenario } from './support/browser-fixture.ts'

scenario('an API key is created, shown once, used and revoked', async (fixture) => {
  const { page, url } = fixture
  await fixture.signIn()
  await fixture.visit('/keys')
  await page.getByText('No keys yet').waitFor()
  await fixture.look('keys-empty')
  await page.getByRole('button', { name: 'New key' }).click()
  await fixture.refused(/^POST \/api\/collections\/api_keys\/records: 400/, async () => {
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByText('Fill this in.').waitFor()
  })
  await page.getByLabel('Name').fill('web shop')
  await page.getByLabel('Expires').selectOption('In 30 days')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const key = await page.locator('.code-block code', { hasText: /^psk_/ }).innerText()
  expect(key).toMatch(/^psk_\w{64}$/)
  // a key that is shown once is not lost by a key press
  for (let i = 0; i < 2; i++) await page.keyboard.press('Escape')
  expect(await page.getByRole('button', { name: 'Close' }).count()).toBe(0)
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText(`${key.slice(0, 10)}…`).waitFor()
  expect(await page.content()).not.toContain(key)

  const usage = () => fetch(`${url}/api/sms/usage`, { headers: { 'x-api-key': key } })
  expect((await usage()).status).toBe(200)
  await page.reload()
  await page.getByText('just now').first().waitFor()

  await page.getByRole('button', { name: 'Change web shop' }).click()
  await page.getByLabel('May be used only from').fill('203.0.113.7')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('Only at 203.0.113.7').waitFor()
  expect((await usage()).status).toBe(403)
  await page.getByText('Last refused: just now at 127.0.0.1').waitFor()
  await fixture.look('keys-refused')
  await page.getByRole('button', { name: 'Change web shop' }).click()
  await page.getByLabel('May be used only from').fill('')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('Key saved').waitFor()

  const revoke = async () => {
    await page.getByRole('button', { name: 'Revoke web shop' }).click()
    await page.getByRole('button', { name: 'Revoke the key' }).click()
  }
  await revoke()
  await page.getByRole('button', { name: 'Undo' }).click()
  await revoke()
  await page.getByText('Being revoked').waitFor()
  expect((await usage()).status).toBe(200)
  await page.getByText('No keys yet').waitFor()
  expect((await usage()).status).toBe(401)
})

scenario(
  'an expired key is shown as such, and a new secret gives it a new end',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    const expires_at = new Date(Date.now() - 60_000).toISOString()
    await ann.collection('api_keys').create({ user, name: 'Till', expires_at })
    await fixture.signIn()
    await fixture.visit('/keys')
    await page.getByText('Expired', { exact: true }).waitFor()
    expect(await page.getByText('On', { exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'A new secret for Till' }).click()
    await page.getByLabel('Expires').selectOption('In 90 days')
    await fixture.look('keys-expired')
    await page.getByRole('button', { name: 'Create a new secret' }).click()
    const key = await page.locator('code', { hasText: /^psk_/ }).innerText()
    expect((await fetch(`${url}/api/sms/usage`, { headers: { 'x-api-key': key } })).status).toBe(
      200,
    )
  },
)

const basic = (user: string, password: string) => `Basic ${btoa(`${user}:${password}`)}`

scenario('a new key shows the settings needed by each kind of program', async (fixture) => {
  const { page, url } = fixture
  await fixture.signIn()
  await fixture.visit('/keys')
  const make = async (kind: string) => {
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name').fill(kind)
    await page.getByLabel('For').selectOption(kind)
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.locator('.copied-settings').waitFor()
    await fixture.look(`keys-${kind.toLowerCase().replace(/\W+/g, '-')}`)
    const terms = await page.locator('.copied-settings dt').allInnerTexts()
    const codes = await page.locator('.copied-settings code').allInnerTexts()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    return Object.fromEntries(terms.map((term, at) => [term, codes[at]!]))
  }
  const answers = async (address: string, authorization: string, init: RequestInit = {}) =>
    (await fetch(address, { ...init, headers: { ...init.headers, authorization } })).status

  const smsgate = await make('A program made for SMSGate')
  const login = basic(smsgate['User name']!, smsgate.Password!)
  expect(await answers(`${smsgate['Base URL']}/devices`, login)).toBe(200)

  const twilio = await make('A program made for Twilio')
  const account = `${twilio['Base URL']}/2010-04-01/Accounts/${twilio.AccountSid}.json`
  expect(await answers(account, basic(twilio.AccountSid!, twilio.AuthToken!))).toBe(200)
  expect(await answers(account, basic(twilio['API key SID']!, twilio.AuthToken!))).toBe(200)

  const assistant = await make('An assistant (MCP)')
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const bearer = assistant.Header!.replace('Authorization: ', '')
  expect(await answers(assistant.Address!, bearer, { method: 'POST', body: ping, headers })).toBe(
    200,
  )
  expect(assistant.Address).toBe(`${url}/mcp`)
})
