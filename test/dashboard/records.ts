import {
  choose,
  type DashboardFixture,
  form,
  popup,
  press,
  same,
  succeeded,
  total,
  visitCollection,
  write,
} from './dashboard-fixture.ts'

/** What is written in the search bar, and how many of the seeded messages it leaves. */
const SEARCHES: readonly (readonly [text: string, left: number])[] = [
  ['status = "assigned" && body ~ "code"', 12],
  ['to = "+447700900003"', 4],
  ['device.name = "Phone" && user.name = "Ann" && created > "2020-01-01"', 48],
  ['sms_events_via_message.status ?= "assigned" && segments > 1', 0],
  ['parcel', 12],
  ['+447700900011', 4],
  ['nothing has this in it', 0],
]

async function search(fixture: DashboardFixture, text: string): Promise<void> {
  await write(fixture, fixture.page.locator('.page .searchbar .editor-content'), text)
  await fixture.page.keyboard.press('Enter')
  await fixture.settled()
}

/** Expressions and plain words in the search bar of sms_messages, then every column as the order. */
export async function searchMessages(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visitCollection(fixture, 'sms_messages')
  await fixture.shot('messages')
  for (const [text, left] of SEARCHES) {
    await search(fixture, text)
    same(await total(fixture), left, `messages that match ${text}`)
  }
  await fixture.refused(/^GET \/api\/collections\/sms_messages\/records.*: 400/, () =>
    search(fixture, 'body ~ = 1'),
  )
  await fixture.shot('messages-searched')
  await page.getByRole('button', { name: 'Clear', exact: true }).first().click()
  await fixture.settled()
  const columns = page.locator('.records-table th.sort-handle')
  for (let i = 0; i < (await columns.count()); i++) {
    await columns.nth(i).click()
    await fixture.settled()
  }
  same(await total(fixture), 48, 'messages in another order')
}

/** A contact is made with its relations picked, edited, copied, and deleted again. */
export async function editContact(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visitCollection(fixture, 'contacts')
  await page.locator('.new-record-btn').click()
  const text = (name: string) => form(fixture).locator(`textarea[name=${name}]`)
  await text('name').fill('Zoe One')
  await fixture.refused(/^POST \/api\/collections\/contacts\/records: 400/, async () => {
    await press(form(fixture), 'Create')
    await form(fixture).locator('.field-help.error').first().waitFor()
  })
  await fixture.shot('contact-refused')
  await text('phone').fill('+447700900999')
  await pick(fixture, 'user', ['Ann'])
  await pick(fixture, 'groups', ['customers', 'staff'])
  await write(
    fixture,
    form(fixture).locator('.field-type-json .editor-content'),
    '{"city": "York", "zip": [1, 2.50]}',
  )
  await form(fixture).locator('textarea[name=name]').click()
  await fixture.shot('contact-filled')
  await press(form(fixture), 'Create')
  await succeeded(fixture, 'Successfully created contacts')
  same(await total(fixture), 13, 'contacts')

  await page.locator('.records-table tr.handle', { hasText: 'Zoe One' }).click()
  await fixture.settled()
  await fixture.shot('contact-again')
  await text('name').fill('Zoe Two')
  await form(fixture).locator('.field-type-relation .ri-close-line').last().click()
  await form(fixture).locator('.field-type-bool label').first().click()
  await press(form(fixture), 'Save changes')
  await succeeded(fixture, 'Successfully updated contacts')
  const row = page.locator('.records-table tr.handle', { hasText: 'Zoe Two' })
  same(/customers/.test(await row.innerText()), true, 'the group that was left')
  same(/staff/.test(await row.innerText()), false, 'the group that was taken away')

  await row.click()
  await fixture.settled()
  await choose(fixture, form(fixture).getByTitle('More options').first(), 'Duplicate')
  await text('phone').fill('+447700900998')
  await press(form(fixture), 'Create')
  await succeeded(fixture, 'Successfully created contacts')
  same(await total(fixture), 14, 'contacts with the copy')

  await row.first().click()
  await fixture.settled()
  await choose(fixture, form(fixture).getByTitle('More options').first(), 'Delete')
  await press(popup(fixture), 'Delete record')
  await succeeded(fixture, 'Successfully deleted')
  await deleteSelected(fixture, 'Zoe Two')
  same(await total(fixture), 12, 'contacts in the end')
}

/** Ticks relations in the picker of a relation field. */
async function pick(fixture: DashboardFixture, field: string, names: readonly string[]): Promise<void> {
  const input = form(fixture).locator('.field-type-relation', {
    has: fixture.page.locator(`label .txt:text-is("${field}")`),
  })
  await input.getByText('Open records picker').click()
  await fixture.settled()
  for (const name of names) {
    await popup(fixture).locator('.list-item', { hasText: name }).first().click()
  }
  await fixture.shot(`picker-${field}`)
  await popup(fixture).locator('.modal-footer .btn.expanded').click()
  await fixture.settled()
}

async function deleteSelected(fixture: DashboardFixture, text: string): Promise<void> {
  const { page } = fixture
  const row = page.locator('.records-table tr.handle', { hasText: text }).first()
  await row.locator('.col-bulk-select label').click()
  await page.locator('.btn.outline.danger', { hasText: 'Delete' }).click()
  await press(popup(fixture), 'Yes')
  await succeeded(fixture, 'Successfully deleted 1 record')
}

/**
 * What may be done with a user besides editing: item of the menu, button of the question, what is told then.
 */
const USER_MENU = [
  ['Send password reset email', 'Send', 'Successfully sent password reset'],
  ['Reset issued tokens', 'Reset all tokens', 'Successfully reset all tokens'],
] as const

/** The form of a user: password, verification, tokens, impersonation. */
export async function editUser(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visitCollection(fixture, 'users')
  await page.locator('.records-table tr.handle').first().click()
  await fixture.settled()
  await fixture.shot('user')
  await form(fixture).locator('textarea[name=name]').fill('Ann Two')
  await press(form(fixture), 'Save changes')
  await succeeded(fixture, 'Successfully updated users')
  for (const [item, button, told] of USER_MENU) {
    await page.locator('.records-table tr.handle').first().click()
    await fixture.settled()
    await choose(fixture, form(fixture).getByTitle('More options').first(), item)
    await press(popup(fixture), button)
    await succeeded(fixture, told)
    await fixture.shot(`user-${item.split(' ')[0]!.toLowerCase()}`)
    await visitCollection(fixture, 'api_keys')
    await visitCollection(fixture, 'users')
  }
}
