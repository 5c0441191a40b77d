import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import { scenario } from './support/browser-fixture.ts'

const ALLOW = { WEBHOOK_ALLOW_PRIVATE: 'true' }

scenario(
  'a webhook is made, tested, sent again, and gets a new secret',
  async (fixture) => {
    const { page } = fixture
    await using receiver = await openReceiver()
    await fixture.signIn()
    await fixture.visit('/webhooks')
    await page.getByText('No webhooks yet').waitFor()
    await fixture.look('webhooks-empty')
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('Address').fill(receiver.url)
    await fixture.look('webhooks-new')
    await page.getByRole('button', { name: 'Make the webhook' }).click()
    const secret = await page.locator('.code-block code').first().innerText()
    expect(secret).toMatch(/^whsec_/)
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByText('Nothing delivered yet').waitFor()

    receiver.status = 503
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByRole('cell', { name: '503' }).waitFor()
    receiver.status = 200
    await page.getByRole('button', { name: 'Send again', exact: true }).click()
    await page.getByRole('table').getByText('Delivered').waitFor()
    expect(receiver.got.length).toBe(2)
    const [first, second] = receiver.got
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    new Webhook(secret).verify(second!.body, second!.headers)
    await fixture.look('webhook')

    await page.getByRole('button', { name: 'Details' }).click()
    await page.getByText('thank you').waitFor()
    const request = page.getByRole('dialog').locator('.code-block code')
    await expect.poll(() => request.count()).toBe(3)
    const { 'webhook-id': id, 'webhook-signature': signature } = second!.headers
    for (const text of [`webhook-id: ${id}`, `webhook-signature: ${signature}`])
      expect(await request.nth(1).innerText()).toContain(text)
    expect(JSON.parse(await request.nth(2).innerText())).toEqual(JSON.parse(second!.body))
    await fixture.look('webhook-delivery')
    await page.getByRole('button', { name: 'Close' }).click()

    await page.getByRole('button', { name: 'Make a new secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make a new secret' }).click()
    const fresh = await page.locator('.code-block code').first().innerText()
    expect(fresh).toMatch(/^whsec_/)
    expect(fresh).not.toBe(secret)
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await expect.poll(() => receiver.got.length).toBe(3)
    new Webhook(fresh).verify(receiver.got[2]!.body, receiver.got[2]!.headers)

    await page.getByRole('button', { name: 'Send failed ones again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
    await page.getByText('0 deliveries are sent again').waitFor()

    await page.getByRole('checkbox', { name: 'Switched on' }).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Webhook saved').waitFor()
    await fixture.visit('/webhooks')
    await page.getByText('Off', { exact: true }).waitFor()
    await fixture.look('webhooks')
  },
  ALLOW,
)

interface Request {
  readonly headers: Record<string, string>
  readonly body: string
}

/** A program that takes webhooks and answers `status`. */
async function openReceiver() {
  const got: Request[] = []
  const receiver = { got, status: 200, url: '', [Symbol.asyncDispose]: async () => void server.close() }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    got.push({ headers: request.headers as Record<string, string>, body })
    response.writeHead(receiver.status).end('thank you')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  return receiver
}
