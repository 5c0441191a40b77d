import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { openConversation, ZOE } from '../support/conversation.ts'
import { isNarrow, openPanel, showView } from '../support/inbox-layout.ts'
import { pairPhone } from '../support/phone.ts'

const MAX = '+4915187654321'

const list = ({ page }: BrowserFixture) => page.getByRole('region', { name: 'Conversations' })

/** On a narrow screen, closes the conversation that covers the list. */
async function seeList(fixture: BrowserFixture) {
  if (isNarrow(fixture)) await fixture.page.getByRole('link', { name: 'All conversations' }).click()
}

scenario(
  'a failed answer is told everywhere, and is sent again by another phone',
  async (fixture) => {
    const { page, url } = fixture
    const { ann, phone } = await openConversation(fixture)
    const other = await pairPhone(url, ann, 'Van phone')
    await phone.hear(MAX, 'Good morning')
    const send = page.getByRole('button', { name: 'Send', exact: true })
    await page.getByLabel('Answer from Desk phone').fill('Yes, there is parking.')
    await send.click()
    const [task] = await phone.claim()
    await fixture.visit(`/conversations/${encodeURIComponent(MAX)}`)
    await page.getByLabel('Texts').getByText('Good morning').waitFor()
    await phone.report(task!, 'failed', { error_message: 'No signal' })

    // another conversation is open: a message leads to this one
    await page.getByText(`A text to ${ZOE} has failed`).waitFor()
    await fixture.look('conversation-failed-toast')
    await page.getByRole('link', { name: 'Open', exact: true }).click()
    const texts = page.getByRole('log')
    await texts.getByText('No signal').waitFor()
    await seeList(fixture)
    const row = list(fixture).getByRole('link', { name: /Not sent: No signal/ })
    await row.waitFor()
    expect(await row.textContent()).not.toContain('parking')
    await showView(fixture, 'Waiting')
    await row.waitFor()
    await showView(fixture, 'Failed')
    await row.waitFor()
    expect(await list(fixture).getByRole('listitem').count()).toBe(1)
    await fixture.look('conversation-failed')

    await row.click()
    await texts.getByRole('button', { name: 'Send again' }).waitFor()
    await texts.getByRole('button', { name: 'Send by Van phone' }).click()
    expect((await other.claim()).map(({ body }) => body)).toEqual(['Yes, there is parking.'])
    await texts.getByRole('button', { name: 'Send again' }).waitFor({ state: 'detached' })
    await page.getByLabel('Answer from Van phone').waitFor()
    await seeList(fixture)
    await list(fixture).getByText('No text has failed.').waitFor()
    await showView(fixture, 'All')
  },
)

scenario('an opted-out number gets no buttons that would fail', async (fixture) => {
  const { page } = fixture
  const { ann } = await openConversation(fixture)
  const user = ann.authStore.record!.id
  const { id } = await ann
    .collection('contacts')
    .create({ user, name: 'Zoë', phone: ZOE, opted_out: true })
  const body = { recipients: [ZOE], body: 'Yes, there is parking.' }
  await ann.send('/api/sms/send', { method: 'POST', body })
  const texts = page.getByRole('log')
  await texts.getByText('Recipient has opted out').waitFor()
  await texts.getByText('when somebody unticks “Opted out”.').waitFor()
  expect(await texts.getByRole('button', { name: 'Send again' }).count()).toBe(0)
  await page.getByLabel('Answer from Desk phone').fill('Hello?')
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
  await ann.collection('contacts').update(id, { opted_out: false })
  await texts.getByText('If the person wants texts again, write a new one.').waitFor()
  await texts.getByRole('link', { name: 'Details' }).last().focus()
  await page.keyboard.press('Enter')
  await page.getByText('If the person wants texts again, write a new one.').waitFor()
  expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0)
})

scenario(
  'a number without a contact that has opted out is shown so everywhere',
  async (fixture) => {
    const { page } = fixture
    const { ann, phone } = await openConversation(fixture)
    await phone.hear(ZOE, 'STOP')
    const contacts = ann.collection('contacts')
    await contacts.delete((await contacts.getFirstListItem(`phone = "${ZOE}"`)).id)
    await page.reload()
    await page
      .getByLabel(/^With /)
      .getByText('Opted out', { exact: true })
      .waitFor()
    await page.getByText('when somebody saves it as a contact and then unticks').waitFor()
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
    await openPanel(fixture)
    await page.getByRole('button', { name: 'Change Name' }).click()
    await page.getByText('It stays so when you save it as a contact.').waitFor()
    await fixture.visit(`/send?to=${encodeURIComponent(ZOE)}`)
    await page.getByText('opted out', { exact: true }).waitFor()
    await fixture.visit('/conversations')
    await list(fixture).getByText('Opted out').waitFor()
    await fixture.look('opted-out-row')
    await page.getByLabel('Search').fill('STOP')
    await list(fixture).getByText('Opted out').first().waitFor()
  },
)

scenario('a scheduled text is changed and sent now in its conversation', async (fixture) => {
  const { page } = fixture
  const { phone } = await openConversation(fixture)
  const texts = page.getByRole('log')
  await page.getByLabel('Answer from Desk phone').fill('See you tomorrow')
  await page.getByRole('button', { name: 'Send later' }).click()
  await page.getByRole('button', { name: /^Tomorrow/ }).click()
  await texts.getByRole('button', { name: 'Change' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Text', { exact: true }).waitFor()
  // the dialog has none of the looks of the bubble that it was opened from
  const looks = `[...document.querySelectorAll('dialog p, dialog h2')].map((each) => {
    const { borderTopStyle, color } = getComputedStyle(each)
    return [each.tagName, borderTopStyle, color === getComputedStyle(document.body).color]
  })`
  const found = (await page.evaluate(looks)) as [tag: string, border: string, isText: boolean][]
  expect(found.filter(([tag]) => tag === 'H2')).toEqual([['H2', 'none', true]])
  expect(found.filter(([tag, border]) => tag === 'P' && border !== 'none')).toEqual([])
  expect(found.length).toBeGreaterThan(1)
  await dialog.getByLabel('Text', { exact: true }).fill('See you, {{name}}')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Write something in the place of {{name}}.').waitFor()
  await dialog.getByLabel('Text', { exact: true }).fill('See you on Friday')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await texts.getByText('See you on Friday').waitFor()
  await texts.getByRole('button', { name: 'Send now' }).click()
  expect((await phone.claim()).map(({ body }) => body)).toEqual(['See you on Friday'])
})

scenario(
  'the count of failed texts leaves the buttons above the list in one row',
  async ({ page, say, ann: makeAnn, signIn, url, visit }) => {
    const ann = await makeAnn()
    const phone = await pairPhone(url, ann, 'Ladentelefon')
    await phone.hear(MAX, 'Haben Sie offen?')
    await ann.send('/api/sms/send', {
      method: 'POST',
      body: { recipients: [MAX], body: 'Wir haben offen' },
    })
    const [task] = await phone.claim()
    await phone.report(task!, 'failed', { error_message: 'Kein Netz' })
    await signIn()
    await visit('/conversations')
    const middleOf = async (name: string) => {
      const { y, height } = (await page.getByRole('button', { name }).boundingBox())!
      return Math.round(y + height / 2)
    }
    const views = await middleOf(`${say('Failed#conversations')} 1`)
    expect(await middleOf(say('New conversation'))).toBe(views)
  },
  {},
  { locale: 'de-DE', widths: [360] },
)
