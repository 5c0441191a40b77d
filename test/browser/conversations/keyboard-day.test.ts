import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { isNarrow } from '../support/inbox-layout.ts'
import { focused, press, signInByKeys, titled, waitForFocus } from '../support/keyboard.ts'
import { type Phone, pairPhone } from '../support/phone.ts'

const ZOE = '+4915112345678'
const MAX = '+4915187654321'
const NEW_NUMBER = '+49 151 20000020'
const REPLY = 'We are open until six.'

scenario(
  'conversations are found, answered, noted, postponed, archived and begun without a mouse',
  async (fixture) => {
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    for (const [name, phone] of Object.entries({ Zoë: ZOE, Max: MAX }))
      await ann.collection('contacts').create({ user, name, phone })
    await ann.collection('sms_templates').create({ user, name: 'Open', body: REPLY })
    const phone = await pairPhone(fixture.url, ann, 'Desk phone')
    await phone.hear(MAX, 'Is my bike ready?')
    await phone.hear(ZOE, 'Are you open?')
    await signInByKeys(fixture)
    await answerZoe(fixture, phone)
    await finishMax(fixture)
    await startConversations(fixture)
  },
  {},
  { ms: 400_000, widths: [1440, 768] },
)

const answerOf = ({ page }: BrowserFixture) => page.getByLabel('Answer from Desk phone')
const rowOf = ({ page }: BrowserFixture, name: string | RegExp) =>
  page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name })

/** Finds a conversation, answers it with a saved reply, and leaves it, one level at a time. */
async function answerZoe(fixture: BrowserFixture, phone: Phone): Promise<void> {
  const { page } = fixture
  await rowOf(fixture, /Max/).waitFor()
  await press(fixture, '/')
  await page.keyboard.type('zo')
  await rowOf(fixture, /Max/).waitFor({ state: 'detached' })
  await press(fixture, 'ArrowDown')
  await waitForFocus(fixture, rowOf(fixture, /Zoë/))
  await press(fixture, 'Enter')
  await waitForFocus(fixture, answerOf(fixture))
  await page.keyboard.type('/op')
  await page.getByRole('option', { name: /^Open/ }).waitFor()
  await press(fixture, 'Enter')
  await expect.poll(() => answerOf(fixture).inputValue()).toBe(REPLY)
  await press(fixture, 'Control+Enter')
  const [task] = await phone.claim()
  expect(task).toMatchObject({ to: ZOE, body: REPLY })
  await phone.report(task!, 'delivered')
  await press(fixture, 'Escape')
  if (!isNarrow(fixture)) await waitForFocus(fixture, rowOf(fixture, /Zoë/))
  await answerOf(fixture).and(focused(fixture)).waitFor({ state: 'detached' })
  await titled(fixture, 'Zoë').waitFor()
  await press(fixture, '?')
  const keys = page.getByRole('dialog', { name: 'The keys of this page' })
  await keys.getByText('Archive', { exact: true }).waitFor()
  await fixture.look('keys')
  await press(fixture, 'Escape')
  await keys.waitFor({ state: 'detached' })
  await titled(fixture, 'Zoë').waitFor()
  await press(fixture, 'Escape')
  await titled(fixture, 'Conversations').waitFor()
  await press(fixture, '/')
  await press(fixture, 'Control+a', 'Delete')
  await rowOf(fixture, /Max/).waitFor()
}

/** Writes a note, sets a reminder, and archives. */
async function finishMax(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  const ann = await fixture.ann()
  await press(fixture, 'ArrowDown')
  await waitForFocus(fixture, rowOf(fixture, /Zoë/))
  await press(fixture, 'ArrowDown')
  await waitForFocus(fixture, rowOf(fixture, /Max/))
  await press(fixture, 'Enter')
  await waitForFocus(fixture, answerOf(fixture))
  await press(fixture, 'Escape', 'm')
  await waitForFocus(fixture, page.getByLabel('Note: it is not sent'))
  await page.keyboard.type('It stands in bay 3')
  await press(fixture, 'Control+Enter')
  await page.getByRole('log').getByText('It stands in bay 3').waitFor()
  await waitForFocus(fixture, answerOf(fixture))
  // the menu of times closes first, then opens again and its second time is chosen
  await press(fixture, 'Escape', 'f')
  const inAnHour = page.getByRole('button', { name: /^In an hour/ })
  await waitForFocus(fixture, inAnHour)
  await press(fixture, 'Escape')
  await inAnHour.waitFor({ state: 'detached' })
  await titled(fixture, 'Max').waitFor()
  await press(fixture, 'f')
  await waitForFocus(fixture, inAnHour)
  await press(fixture, 'ArrowDown', 'Enter')
  const reminder = page.getByRole('button', { name: /Remove the follow-up/ })
  await reminder.waitFor()
  const conversation = () => ann.collection('conversations').getFirstListItem(`number = "${MAX}"`)
  const hoursLeft = async () =>
    (Date.parse((await conversation()).follow_up_at) - Date.now()) / 3_600_000
  await expect.poll(hoursLeft).toBeGreaterThan(1)
  await press(fixture, 'e')
  await expect.poll(async () => (await conversation()).archived).toBe(true)
  await rowOf(fixture, /Max/).waitFor({ state: 'detached' })
}

/** Starts a conversation with a number, and one with a contact. */
async function startConversations(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  await press(fixture, 'Escape', 'Escape')
  await titled(fixture, 'Conversations').waitFor()
  const whom = page.getByRole('dialog').getByLabel('Number or contact')
  await press(fixture, 'n')
  await waitForFocus(fixture, whom)
  await page.keyboard.type(NEW_NUMBER)
  await press(fixture, 'Enter')
  await titled(fixture, '+49 1512 0000020').waitFor()
  await waitForFocus(fixture, page.getByLabel('Write', { exact: true }))
  await press(fixture, 'Escape', 'Escape')
  await titled(fixture, 'Conversations').waitFor()
  await press(fixture, 'n')
  await waitForFocus(fixture, whom)
  await page.keyboard.type('Zo')
  await page.getByRole('dialog').getByRole('link', { name: /Zoë/ }).waitFor()
  await press(fixture, 'ArrowDown', 'Enter')
  await titled(fixture, 'Zoë').waitFor()
}
