import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

/** What has the focus: a field by its label, a button by its words. */
const FOCUSED = `(() => {
  const element = document.activeElement
  return (element.labels?.[0] ?? element).textContent.trim()
})()`

/** Whether the dialog shows its buttons, however much of it must be scrolled. */
const SHOWS_BUTTONS = `[...document.querySelectorAll('.dialog .actions > .button')].every((button) => {
  const { x, y, width, height } = button.getBoundingClientRect()
  return button.contains(document.elementFromPoint(x + width / 2, y + height / 2))
})`

/** Opens each dialog by its button: its buttons show, and the focus begins at what is named beside it. */
async function expectFocus(
  { page, visit }: BrowserFixture,
  dialogs: readonly (readonly [path: string, button: string | RegExp, focused: string])[],
): Promise<void> {
  for (const [path, button, focused] of dialogs) {
    await visit(path)
    await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').waitFor()
    const message = `${path} ${button}`
    await expect.poll(() => page.evaluate(FOCUSED), { message }).toBe(focused)
    await expect.poll(() => page.evaluate(SHOWS_BUTTONS), { message }).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
}

scenario(
  'dialogs show their buttons, and focus a field or a safe button first, never the close button',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    await pairPhone(url, ann, 'Desk phone')
    const [device] = await ann.collection('devices').getFullList()
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    const sent = await ann.send('/api/sms/send', {
      method: 'POST',
      body: { recipients: ['+4915112345678'], body: 'Soon', scheduled_at: soon },
    })
    await ann.collection('contacts').create({ user, name: 'Zoë', phone: '+4915112345678' })
    await ann.collection('contact_groups').create({ user, name: 'Regulars' })
    await ann.collection('sms_templates').create({ user, name: 'Hello', body: 'Hello' })
    await ann
      .collection('webhooks')
      .create({ user, url: 'https://example.com/hook', events: ['message.sent'] })
    const [hook] = await ann.collection('webhooks').getFullList()
    await fixture.signIn()
    await expectFocus(fixture, [
      ['/contacts', /^Add a contact/, 'Name'],
      ['/contacts', /^Import/, 'An Excel, CSV or vCard file'],
      ['/groups', 'New group', 'Name'],
      ['/groups', 'Delete Regulars', 'Cancel'],
      ['/templates', 'Change Hello', 'Name'],
      ['/templates', 'Delete Hello', 'Cancel'],
      ['/conversations', 'New conversation', 'Number or contact'],
      ['/devices', 'Add a device', 'What sends the texts'],
      [`/devices/${device!.id}`, 'Delete the device', 'Cancel'],
      ['/keys', 'New key', 'Name'],
      ['/webhooks', 'New outgoing webhook', 'For'],
      [`/webhooks/${hook!.id}`, 'Delete', 'Cancel'],
      [`/messages/${sent.message_ids[0]}`, 'Delete', 'Cancel'],
      [`/messages/${sent.message_ids[0]}`, /^Change/, 'Send at'],
      ['/messages', /^Export/, 'Time'],
    ])
    expect(await page.getByRole('dialog').count()).toBe(0)
  },
)

scenario('dialogs of superusers show their buttons and focus a field first', async (fixture) => {
  await fixture.ann()
  await fixture.signIn('root')
  await expectFocus(fixture, [
    ['/users', 'New user', 'Email'],
    ['/users', /^Change/, 'Email'],
    ['/settings', 'Send a test mail', 'To'],
    ['/settings', 'Add a rule', 'What'],
    ['/backups', /^Upload/, 'A backup of pocketsms'],
  ])
})
