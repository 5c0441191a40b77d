import { type BrowserFixture, scenario } from './support/browser-fixture.ts'
import { goTo, press, signInByKeys, tabTo, titled, waitForFocus } from './support/keyboard.ts'
import { type Phone, pairPhone } from './support/phone.ts'

const MAX = '+4915187654321'

scenario(
  'contacts, templates and texts are written, found and deleted without a mouse',
  async (fixture) => {
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    await ann.collection('contacts').create({ user, name: 'Max', phone: MAX })
    const phone = await pairPhone(fixture.url, ann, 'Desk phone')
    await phone.hear(MAX, 'Is my bike ready?')
    await signInByKeys(fixture)
    await addContact(fixture)
    await writeTemplate(fixture)
    await sendToMax(fixture, phone)
    await findMessage(fixture)
    await deleteTemplate(fixture)
  },
  {},
  { ms: 400_000, widths: [1440, 768] },
)

/** Adds a contact, finds it, and opens its conversation. */
async function addContact(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  await goTo(fixture, 'contacts', /^Contacts/)
  await waitForFocus(fixture, titled(fixture, 'Contacts'))
  await page.getByLabel('Choose Max').waitFor()
  await press(fixture, 'n')
  await waitForFocus(fixture, page.getByRole('dialog').getByLabel('Name'))
  await page.keyboard.type('Eva')
  await press(fixture, 'Tab')
  await page.keyboard.type('0151 20000019')
  await press(fixture, 'Enter')
  await page.getByText('Contact saved').waitFor()
  await page.getByLabel('Choose Eva').waitFor()
  await press(fixture, '/')
  await page.keyboard.type('Ev')
  await page.getByLabel('Choose Max').waitFor({ state: 'detached' })
  await press(fixture, 'ArrowDown')
  await waitForFocus(fixture, page.getByRole('link', { name: 'Eva', exact: true }))
  await press(fixture, 'Tab')
  await waitForFocus(fixture, page.getByRole('button', { name: 'Actions of Eva' }))
  await press(fixture, 'Enter')
  await waitForFocus(fixture, page.getByRole('link', { name: 'Conversation', exact: true }))
  await press(fixture, 'Enter')
  await titled(fixture, 'Eva').waitFor()
  await waitForFocus(fixture, page.getByLabel('Write', { exact: true }))
}

async function writeTemplate(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  await goTo(fixture, 'templates', /^Templates/)
  await waitForFocus(fixture, titled(fixture, 'Templates'))
  await page.getByText('No templates yet').waitFor()
  await press(fixture, 'n')
  const dialog = page.getByRole('dialog', { name: 'New template' })
  await waitForFocus(fixture, dialog.getByLabel('Name', { exact: true }))
  await page.keyboard.type('Open')
  await press(fixture, 'Tab')
  await page.keyboard.type('We are open until six.')
  await tabTo(fixture, dialog.getByRole('button', { name: 'Save' }))
  await press(fixture, 'Enter')
  await page.getByRole('cell', { name: 'Open', exact: true }).waitFor()
}

async function sendToMax(fixture: BrowserFixture, phone: Phone): Promise<void> {
  const { page } = fixture
  await goTo(fixture, 'max', /^Send to Max/)
  await waitForFocus(fixture, page.getByLabel('Text', { exact: true }))
  await page.keyboard.type('Your bike is ready.')
  await tabTo(fixture, page.getByRole('button', { name: 'Send', exact: true }))
  await press(fixture, 'Enter')
  await page.getByRole('heading', { name: 'Sent to Max' }).waitFor()
  const [task] = await phone.claim()
  expect(task).toMatchObject({ to: MAX, body: 'Your bike is ready.' })
  await phone.report(task!, 'sent')
}

async function findMessage(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  await goTo(fixture, 'messages', /^Messages/)
  await waitForFocus(fixture, titled(fixture, 'Messages'))
  await page.getByText('2 messages', { exact: true }).waitFor()
  await press(fixture, '/')
  await page.keyboard.type('my bike')
  await page.getByText('1 message', { exact: true }).waitFor()
  await press(fixture, 'ArrowDown', 'Enter')
  await page.getByText('Came in on Desk phone').waitFor()
  await press(fixture, 'Escape')
  await titled(fixture, 'Messages').waitFor()
  await page.getByText('1 message', { exact: true }).waitFor()
}

/** A question is left by Escape; the second time the record is deleted. */
async function deleteTemplate(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  await goTo(fixture, 'templates', /^Templates/)
  const remove = page.getByRole('button', { name: 'Delete Open' })
  await remove.waitFor()
  await tabTo(fixture, remove)
  const dialog = page.getByRole('dialog')
  const cancel = dialog.getByRole('button', { name: 'Cancel' })
  await press(fixture, 'Enter')
  await waitForFocus(fixture, cancel)
  await press(fixture, 'Escape')
  await dialog.waitFor({ state: 'detached' })
  await waitForFocus(fixture, remove)
  await press(fixture, 'Enter')
  await waitForFocus(fixture, cancel)
  await press(fixture, 'Shift+Tab', 'Enter')
  await page.getByText('No templates yet').waitFor()
}
