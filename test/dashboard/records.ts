import {
  choose,
  type Desk,
  form,
  popup,
  press,
  same,
  succeeded,
  total,
  visitCollection,
  write,
} from './desk.ts'

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

async function search(desk: Desk, text: string): Promise<void> {
  await write(desk, desk.page.locator('.page .searchbar .editor-content'), text)
  await desk.page.keyboard.press('Enter')
  await desk.settled()
}

/** Expressions and plain words in the search bar of sms_messages, then every column as the order. */
export async function searchMessages(desk: Desk): Promise<void> {
  const { page } = desk
  await visitCollection(desk, 'sms_messages')
  await desk.shot('messages')
  for (const [text, left] of SEARCHES) {
    await search(desk, text)
    same(await total(desk), left, `messages that match ${text}`)
  }
  await desk.refused(/^GET \/api\/collections\/sms_messages\/records.*: 400/, () =>
    search(desk, 'body ~ = 1'),
  )
  await desk.shot('messages-searched')
  await page.getByRole('button', { name: 'Clear', exact: true }).first().click()
  await desk.settled()
  const columns = page.locator('.records-table th.sort-handle')
  for (let i = 0; i < (await columns.count()); i++) {
    await columns.nth(i).click()
    await desk.settled()
  }
  same(await total(desk), 48, 'messages in another order')
}

/** A contact is made with its relations picked, edited, copied, and deleted again. */
export async function editContact(desk: Desk): Promise<void> {
  const { page } = desk
  await visitCollection(desk, 'contacts')
  await page.locator('.new-record-btn').click()
  const text = (name: string) => form(desk).locator(`textarea[name=${name}]`)
  await text('name').fill('Zoe One')
  await desk.refused(/^POST \/api\/collections\/contacts\/records: 400/, async () => {
    await press(form(desk), 'Create')
    await form(desk).locator('.field-help.error').first().waitFor()
  })
  await desk.shot('contact-refused')
  await text('phone').fill('+447700900999')
  await pick(desk, 'user', ['Ann'])
  await pick(desk, 'groups', ['customers', 'staff'])
  await write(
    desk,
    form(desk).locator('.field-type-json .editor-content'),
    '{"city": "York", "zip": [1, 2.50]}',
  )
  await form(desk).locator('textarea[name=name]').click()
  await desk.shot('contact-filled')
  await press(form(desk), 'Create')
  await succeeded(desk, 'Successfully created contacts')
  same(await total(desk), 13, 'contacts')

  await page.locator('.records-table tr.handle', { hasText: 'Zoe One' }).click()
  await desk.settled()
  await desk.shot('contact-again')
  await text('name').fill('Zoe Two')
  await form(desk).locator('.field-type-relation .ri-close-line').last().click()
  await form(desk).locator('.field-type-bool label').first().click()
  await press(form(desk), 'Save changes')
  await succeeded(desk, 'Successfully updated contacts')
  const row = page.locator('.records-table tr.handle', { hasText: 'Zoe Two' })
  same(/customers/.test(await row.innerText()), true, 'the group that was left')
  same(/staff/.test(await row.innerText()), false, 'the group that was taken away')

  await row.click()
  await desk.settled()
  await choose(desk, form(desk).getByTitle('More options').first(), 'Duplicate')
  await text('phone').fill('+447700900998')
  await press(form(desk), 'Create')
  await succeeded(desk, 'Successfully created contacts')
  same(await total(desk), 14, 'contacts with the copy')

  await row.first().click()
  await desk.settled()
  await choose(desk, form(desk).getByTitle('More options').first(), 'Delete')
  await press(popup(desk), 'Delete record')
  await succeeded(desk, 'Successfully deleted')
  await deleteSelected(desk, 'Zoe Two')
  same(await total(desk), 12, 'contacts in the end')
}

/** Ticks relations in the picker of a relation field. */
export async function pick(desk: Desk, field: string, names: readonly string[]): Promise<void> {
  const input = form(desk).locator('.field-type-relation', {
    has: desk.page.locator(`label .txt:text-is("${field}")`),
  })
  await input.getByText('Open records picker').click()
  await desk.settled()
  for (const name of names) {
    await popup(desk).locator('.list-item', { hasText: name }).first().click()
  }
  await desk.shot(`picker-${field}`)
  await popup(desk).locator('.modal-footer .btn.expanded').click()
  await desk.settled()
}

async function deleteSelected(desk: Desk, text: string): Promise<void> {
  const { page } = desk
  const row = page.locator('.records-table tr.handle', { hasText: text }).first()
  await row.locator('.col-bulk-select label').click()
  await page.locator('.btn.outline.danger', { hasText: 'Delete' }).click()
  await press(popup(desk), 'Yes')
  await succeeded(desk, 'Successfully deleted 1 record')
}

/** What may be done with a user besides editing: item of the menu, button of the question, what is told then. */
const USER_MENU = [
  ['Send password reset email', 'Send', 'Successfully sent password reset'],
  ['Reset issued tokens', 'Reset all tokens', 'Successfully reset all tokens'],
] as const

/** The form of a user: password, verification, tokens, impersonation. */
export async function editUser(desk: Desk): Promise<void> {
  const { page } = desk
  await visitCollection(desk, 'users')
  await page.locator('.records-table tr.handle').first().click()
  await desk.settled()
  await desk.shot('user')
  await form(desk).locator('textarea[name=name]').fill('Ann Two')
  await press(form(desk), 'Save changes')
  await succeeded(desk, 'Successfully updated users')
  for (const [item, button, told] of USER_MENU) {
    await page.locator('.records-table tr.handle').first().click()
    await desk.settled()
    await choose(desk, form(desk).getByTitle('More options').first(), item)
    await press(popup(desk), button)
    await succeeded(desk, told)
    await desk.shot(`user-${item.split(' ')[0]!.toLowerCase()}`)
    await visitCollection(desk, 'api_keys')
    await visitCollection(desk, 'users')
  }
}
