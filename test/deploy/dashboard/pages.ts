import {
  choose,
  type DashboardFixture,
  flip,
  form,
  named,
  popup,
  press,
  same,
  succeeded,
  total,
  visit,
  visitCollection,
  write,
} from './dashboard-fixture.ts'

const NAME = 'kitchen'

const input = (fixture: DashboardFixture, name: string) =>
  form(fixture).locator(`input[name="${name}"]`)

/** Where a field stands in the open form, which is part of the names of its inputs. */
async function place(fixture: DashboardFixture, name: string): Promise<string> {
  const inputs = form(fixture).locator('input[name^="fields."][name$=".name"]')
  for (let i = 0; i < (await inputs.count()); i++)
    if ((await inputs.nth(i).inputValue()) === name)
      return (await inputs.nth(i).getAttribute('name'))!.slice(0, -5)
  throw new Error(`no field ${name} in the form`)
}

/** The line of a field, with its settings. */
const line = async (fixture: DashboardFixture, name: string) =>
  form(fixture).locator('details', {
    has: fixture.page.locator(`input[name="${await place(fixture, name)}.name"]`),
  })

async function addField(fixture: DashboardFixture, menu: number): Promise<void> {
  await form(fixture).getByRole('button', { name: 'New field' }).click()
  await fixture.page.locator('.field-types-dropdown:popover-open .dropdown-item').nth(menu).click()
}

async function setChoices(
  fixture: DashboardFixture,
  name: string,
  choices: readonly string[],
): Promise<void> {
  const at = await place(fixture, name)
  await input(fixture, `${at}.values`).click()
  await fixture.page.locator('.dropdown:popover-open textarea').fill(choices.join('\n'))
  await fixture.page.keyboard.press('Tab')
  await form(fixture).locator('input[name=name]').click()
}

/** Takes an option of one of the selects in the line of a field. */
async function setOption(
  fixture: DashboardFixture,
  name: string,
  select: string,
  option: string,
): Promise<void> {
  await (await line(fixture, name)).locator(`${select} .selected-container`).first().click()
  await fixture.page
    .locator('.dropdown:popover-open .select-option', { hasText: option })
    .first()
    .click()
}

/** A collection with a field of each type that the menu offers is refused, mended, made and deleted. */
export async function makeCollection(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visit(fixture, '/collections')
  await page.getByRole('button', { name: 'New collection' }).click()
  await form(fixture).locator('input[name=name]').fill(NAME)
  await form(fixture).getByRole('button', { name: 'New field' }).click()
  const types = await page.locator('.field-types-dropdown:popover-open .dropdown-item').count()
  await page.keyboard.press('Escape')
  for (let i = 0; i < types; i++) await addField(fixture, i)
  await fixture.refused(/^POST \/api\/collections: 400 .*"values":/, () =>
    press(form(fixture), 'Create'),
  )
  await fixture.shot('collection-refused')
  await setChoices(fixture, 'select', ['red', 'green', 'blue'])
  await setOption(fixture, 'relation', '.collections-select', 'contacts')
  await fixture.shot('collection-filled')
  await press(form(fixture), 'Create')
  await succeeded(fixture, 'Successfully created collection')
  same(
    await page.locator('.breadcrumbs').innerText(),
    `Collections\n${NAME}`,
    'the new collection is open',
  )
  await fixture.shot('collection-made')
  await page.locator('.btn-collection-settings').click()
  await fixture.settled()
  await choose(fixture, form(fixture).getByTitle('More options').first(), 'Delete')
  await popup(fixture).locator('input').fill(NAME)
  await press(popup(fixture), 'Yes')
  await succeeded(fixture, 'Successfully deleted collection')
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
async function pick(
  fixture: DashboardFixture,
  field: string,
  names: readonly string[],
): Promise<void> {
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

/** The page compares all fields of all collections with each other as soon as it has the text. */
const COMPARE_MS = 90_000

const field = (fixture: DashboardFixture, name: string) =>
  named(fixture, fixture.page.locator('.page-content'), name)
const toggle = (fixture: DashboardFixture, name: string) =>
  flip(fixture, fixture.page.locator('.page-content'), name)

/**
 * Name, batch and rate limits: a wrong value is refused at its field, right ones are there after a reload.
 */
export async function applicationSettings(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visit(fixture, '/settings')
  await fixture.shot('settings')
  await (await field(fixture, 'meta.appName')).fill('Gateway')
  await (await field(fixture, 'meta.appURL')).fill('https://sms.example.com')
  await (await field(fixture, 'batch.maxRequests')).fill('33')
  await toggle(fixture, 'rateLimits.enabled')
  await press(page.locator('.page-content'), 'Save changes')
  await succeeded(fixture, 'Successfully saved application settings')
  await page.reload()
  await fixture.settled()
  same(
    await (await field(fixture, 'meta.appName')).inputValue(),
    'Gateway',
    'the name after a reload',
  )
  same(
    await (await field(fixture, 'batch.maxRequests')).inputValue(),
    '33',
    'the batch limit after a reload',
  )
  same(
    await (await field(fixture, 'rateLimits.enabled')).isChecked(),
    true,
    'rate limits after a reload',
  )
  await fixture.shot('settings-saved')
  await toggle(fixture, 'rateLimits.enabled')
  await press(page.locator('.page-content'), 'Save changes')
  await succeeded(fixture, 'Successfully saved application settings')
}

const paste = ({ page }: DashboardFixture, text: string) =>
  page.locator('textarea[name=collections]').fill(text, { timeout: COMPARE_MS })

/**
 * The export, read in again, changes nothing; with one more collection in it, that one is made, and goes
 * again.
 */
export async function exportAndImport(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visit(fixture, '/settings/export-collections')
  await fixture.shot('export')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as JSON' }).click(),
  ])
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
  const exported = Buffer.concat(chunks).toString()

  await visit(fixture, '/settings/import-collections')
  await paste(fixture, exported)
  await page.getByText('Your collections configuration is already up-to-date!').waitFor()
  await fixture.shot('import-of-own-export')

  const collections = JSON.parse(exported) as { name: string }[]
  const fields = [{ type: 'text', name: 'title' }]
  const extra = { id: 'pbc_imported', name: 'imported', type: 'base', fields }
  await importText(fixture, JSON.stringify([...collections, extra]))
  await visitCollection(fixture, 'imported')
  await visit(fixture, '/settings/import-collections')
  await importText(fixture, exported)
  await visit(fixture, '/collections')
  same(
    await page.locator('.nav-item', { hasText: 'imported' }).count(),
    0,
    'what the import left out',
  )
}

/** Pastes, looks at the differences and imports; agrees when data would go. */
async function importText(fixture: DashboardFixture, text: string): Promise<void> {
  await paste(fixture, text)
  await fixture.page.getByRole('button', { name: 'Review' }).click()
  await fixture.settled()
  await fixture.shot('import-review')
  await press(popup(fixture), 'Confirm and import')
  const question = fixture.page.locator('.modal', { hasText: 'Do you really want to delete' })
  const done = fixture.page.locator('.toast.success', { hasText: 'Successfully imported' })
  await question.or(done).first().waitFor({ timeout: COMPARE_MS })
  if (await question.isVisible()) await press(question, 'Yes')
  await succeeded(fixture, 'Successfully imported collections')
}
