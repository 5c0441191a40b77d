import { startReceiver, verify } from '../support/services/receiver.ts'
import { scenario } from './support/browser-fixture.ts'

const ALLOW = { WEBHOOK_ALLOW_PRIVATE: 'true' }

scenario(
  'a webhook is created, tested, sent again and gets a new secret',
  async (fixture) => {
    const { page } = fixture
    const receiver = await startReceiver()
    onTestFinished(receiver.stop)
    await fixture.signIn()
    await fixture.visit('/webhooks')
    await page.getByText('No outgoing webhooks yet').waitFor()
    await fixture.look('webhooks-empty')
    await page.getByRole('button', { name: 'New outgoing webhook' }).click()
    await page.getByLabel('Address').fill(`${receiver.url}/hooks`)
    await page.getByRole('button', { name: 'Create the webhook' }).click()
    const secret = await page.locator('.code-block code').first().innerText()
    expect(secret).toMatch(/^whsec_/)
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByText('Nothing delivered yet').waitFor()

    receiver.answer(503)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('The test is being sent').waitFor()
    await page.getByRole('cell', { name: '503' }).waitFor()
    receiver.answer(200, 'thank you')
    await page.getByRole('button', { name: 'Send again', exact: true }).click()
    await page.getByRole('table').getByText('Delivered').waitFor()
    expect(receiver.told.length).toBe(2)
    const [first, second] = receiver.told
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    verify(secret, second!)

    await page.getByRole('button', { name: 'Details' }).click()
    await page.getByText('thank you').waitFor()
    const request = page.getByRole('dialog').locator('.code-block code')
    await expect.poll(() => request.count()).toBe(3)
    const { 'webhook-id': id, 'webhook-signature': signature } = second!.headers
    for (const text of [`webhook-id: ${id}`, `webhook-signature: ${signature}`])
      expect(await request.nth(1).innerText()).toContain(text)
    expect(JSON.parse(await request.nth(2).innerText())).toEqual(JSON.parse(second!.body))
    await page.getByRole('button', { name: 'Close' }).click()

    await page.getByRole('button', { name: 'Create a new secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create a new secret' }).click()
    const fresh = await page.locator('.code-block code').first().innerText()
    expect(fresh).toMatch(/^whsec_/)
    expect(fresh).not.toBe(secret)
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('button', { name: 'Send a test' }).click()
    verify(fresh, (await receiver.heard(3))[2]!)

    // nothing has failed
    expect(await page.getByRole('button', { name: 'Send failed ones again' }).count()).toBe(0)

    await page.getByRole('checkbox', { name: 'Switched on' }).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Webhook saved').waitFor()
    await fixture.visit('/webhooks')
    await page.getByText('Off', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'New outgoing webhook' }).click()
    await page.getByLabel('For', { exact: true }).selectOption('Telegram')
    await page.getByLabel('Address').fill(receiver.url)
    await page.getByLabel('Chat, room or topic').fill('@texts')
    await page.getByLabel('Token of the service').fill('12:ab')
    await fixture.look('webhooks-new-telegram')
    await page.getByRole('button', { name: 'Create the webhook' }).click()
    await page.getByText('Nothing delivered yet').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await expect.poll(() => receiver.told.at(-1)!.path).toBe('/bot12:ab/sendMessage')
    await page.getByText('More: body, method, headers').click()
    await page.getByLabel('Body').fill('{"chat_id":"{{nope}}"}')
    await fixture.refused(/^PATCH \/api\/collections\/webhooks\/records\/\w+: 400/, async () => {
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('The event has no nope.').waitFor()
    })
    await fixture.look('webhook-telegram')
    await page.getByLabel('Body').fill('')
  },
  ALLOW,
)
