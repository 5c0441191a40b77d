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
