import { scenario } from '../support/browser-fixture.ts'
import { openConversation, ZOE } from '../support/conversation.ts'
import { holdRequests } from '../support/hold-requests.ts'
import { openPanel } from '../support/inbox-layout.ts'
import { pairPhone } from '../support/phone.ts'

/** Pastes into the focused field: files, or a text with a picture of it, as copied cells have. */
const paste = (text: string) => `{
  const clipboardData = new DataTransfer()
  clipboardData.items.add(new File(['GIF89a'], 'cat.gif', { type: 'image/gif' }))
  if (${JSON.stringify(text)}) clipboardData.setData('text/plain', ${JSON.stringify(text)})
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
  document.activeElement.dispatchEvent(event)
}`

scenario('the inbox offers notifications until they are on or declined', async (fixture) => {
  const { page, url } = fixture
  const phone = await pairPhone(url, await fixture.ann(), 'Desk phone')
  await phone.hear(ZOE, 'Hello')
  await page.context().grantPermissions(['notifications'])
  await fixture.signIn()
  const offer = page.getByText('Get notified of texts?')
  await offer.waitFor()
  await fixture.look('notify-hint')
  await page.getByRole('button', { name: 'Do not offer this again' }).click()
  await offer.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('link', { name: /Hello/ }).waitFor()
  expect(await offer.count()).toBe(0)
})

scenario(
  'a pasted picture is refused with a sentence, and a pasted text is not',
  async (fixture) => {
    const { page } = fixture
    await openConversation(fixture)
    await page.getByLabel('Answer from Desk phone').focus()
    const refusal = page.getByText('Pictures and other files cannot be sent.')
    await page.evaluate(paste('Price'))
    expect(await refusal.count()).toBe(0)
    await page.evaluate(paste(''))
    await refusal.waitFor()
  },
)

scenario('no late field moves the box of an answer or the button that blocks', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(url, ann, 'Desk phone')
  await pairPhone(url, ann, 'Van phone')
  await phone.hear(ZOE, 'Hello')
  const devices = page.waitForResponse('**/api/collections/devices/records*')
  await fixture.signIn()
  await page.getByRole('link', { name: /Hello/ }).waitFor()
  await devices
  const release = await holdRequests(page, /\/api\/collections\/(contacts|devices)\/records/)
  await page.getByRole('link', { name: /Hello/ }).click()
  await openPanel(fixture)
  const change = page.getByRole('button', { name: 'Change Name' })
  expect(await change.count()).toBe(0)
  expect(await page.locator('select[name="device"]').count()).toBe(1)
  release()
  await change.click()
  await page.getByLabel('Name', { exact: true }).waitFor()
})
