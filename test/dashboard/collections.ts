import {
  choose,
  type DashboardFixture,
  form,
  popup,
  press,
  same,
  succeeded,
  total,
  visit,
  visitCollection,
  write,
} from './dashboard-fixture.ts'
import { pick } from './records.ts'

const NAME = 'kitchen'
const RENAMED = 'pantry'
const RULE = '@request.auth.id != "" && text != "secret"'

const input = (fixture: DashboardFixture, name: string) => form(fixture).locator(`input[name="${name}"]`)

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
  await fixture.page.locator('.dropdown:popover-open .select-option', { hasText: option }).first().click()
}

const openSettings = async (fixture: DashboardFixture, name: string) => {
  await visitCollection(fixture, name)
  await fixture.page.locator('.btn-collection-settings').click()
  await fixture.settled()
}

async function save(fixture: DashboardFixture, confirmed = false): Promise<void> {
  await press(form(fixture), 'Save changes')
  if (confirmed) await press(popup(fixture), 'Yes, save changes')
  await succeeded(fixture, 'Successfully updated collection')
}

/**
 * A collection with a field of each type that the menu offers, an index, and a record with a value in each.
 */
export async function createCollection(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visit(fixture, '/collections')
  await page.getByRole('button', { name: 'New collection' }).click()
  await form(fixture).locator('input[name=name]').fill(NAME)
  await form(fixture).getByRole('button', { name: 'New field' }).click()
  const types = await page.locator('.field-types-dropdown:popover-open .dropdown-item').count()
  await page.keyboard.press('Escape')
  for (let i = 0; i < types; i++) await addField(fixture, i)
  await fixture.refused(/^POST \/api\/collections: 400 .*"values":/, () => press(form(fixture), 'Create'))
  await fixture.shot('collection-refused')
  await setChoices(fixture, 'select', ['red', 'green', 'blue'])
  await setOption(fixture, 'relation', '.collections-select', 'contacts')
  await addIndex(fixture, 'text')
  await fixture.shot('collection-filled')
  await press(form(fixture), 'Create')
  await succeeded(fixture, 'Successfully created collection')
  same(await page.locator('.breadcrumbs').innerText(), `Collections\n${NAME}`, 'the new collection is open')
  await fixture.shot('collection-made')
}

async function addIndex(fixture: DashboardFixture, column: string): Promise<void> {
  await form(fixture).getByRole('button', { name: 'New index' }).click()
  await popup(fixture).locator('label', { hasText: 'Unique' }).click()
  await popup(fixture)
    .locator('.label.handle', { hasText: new RegExp(`^${column}$`) })
    .click()
  await press(popup(fixture), 'Set index')
}

const TYPED: Readonly<Record<string, string>> = {
  number: '12.5',
  email: 'ann@example.com',
  url: 'https://example.com',
  date: '2026-11-20T07:00:30',
}

/** A record of that collection, its values filled in field by field. */
export async function createRecordOfAll(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visitCollection(fixture, NAME)
  await page.locator('.new-record-btn').click()
  const box = form(fixture)
  await box.locator('textarea[name=text]').fill('Hello')
  for (const [name, value] of Object.entries(TYPED)) await box.locator(`input[name=${name}]`).fill(value)
  await box.locator('.field-type-bool label').click()
  await box.locator('.field-type-select .selected-container').click()
  await page.locator('.dropdown:popover-open .select-option', { hasText: 'green' }).click()
  await write(fixture, box.locator('.field-type-json .editor-content'), '{"a":[1,2.50]}')
  const [lon, lat] = [box.locator('input[name=geoPoint]').first(), box.locator('input[name=geoPoint]').last()]
  await lon.fill('-0.12')
  await lat.fill('51.5')
  await pick(fixture, 'relation', ['Contact 3'])
  await box.frameLocator('.field-type-editor iframe').locator('body').pressSequentially('Bold words')
  await box.locator('textarea[name=text]').click()
  await fixture.shot('record-of-all')
  await press(box, 'Create')
  await succeeded(fixture, `Successfully created ${NAME}`)
  same(await total(fixture), 1, 'records of the new collection')
  const row = await page.locator('.records-table tr.handle').innerText()
  for (const value of [
    'Hello',
    '12.5',
    'ann@example.com',
    'https://example.com',
    'True',
    'green',
    '2026-11-20',
  ])
    same([value, row.includes(value)], [value, true], 'what the list shows')
  await fixture.shot('record-of-all-listed')
}

/** Rules: one that cannot be read is refused at its field, then one that can; then the rule shows again. */
export async function editRules(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await openSettings(fixture, NAME)
  await form(fixture).getByRole('button', { name: 'API rules' }).click()
  const list = form(fixture).locator('.rule-field').first()
  await list.locator('.unlock-overlay').click()
  await write(fixture, list.locator('.editor-content'), 'nothing_like_it = 1')
  await fixture.refused(/^PATCH \/api\/collections\/\w+: 400 .*"listRule"/, () =>
    press(form(fixture), 'Save changes'),
  )
  const fault = form(fixture).locator('.field-help.error').first()
  await fault.waitFor()
  same(/nothing_like_it/.test(await fault.innerText()), true, 'the fault names the field')
  await fixture.shot('rule-refused')
  await write(fixture, list.locator('.editor-content'), RULE)
  await form(fixture).locator('.rule-field').nth(1).locator('.unlock-overlay').click()
  await save(fixture)
  await openSettings(fixture, NAME)
  await form(fixture).getByRole('button', { name: 'API rules' }).click()
  same(await list.locator('.editor-content').innerText(), RULE, 'the rule that was saved')
  await page.keyboard.press('Escape')
}

/** A renamed field and a renamed collection keep their values; a select becomes multiple and single again. */
export async function changeFields(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  const row = () => page.locator('.records-table tr.handle').innerText()
  await openSettings(fixture, NAME)
  await input(fixture, `${await place(fixture, 'number')}.name`).fill('weight')
  await input(fixture, 'name').fill(RENAMED)
  await fixture.page.waitForTimeout(300) // the form writes the new name into its indexes after a moment
  await save(fixture, true)
  await visitCollection(fixture, RENAMED)
  same((await row()).includes('12.5'), true, 'the value of the renamed field')

  for (const [option, confirmed] of [
    ['Multiple', false],
    ['Single', true],
  ] as const) {
    await openSettings(fixture, RENAMED)
    await setOption(fixture, 'select', '.single-multiple-select', option)
    await save(fixture, confirmed)
    await visitCollection(fixture, RENAMED)
    same((await row()).includes('green'), true, `the choice once the select is ${option}`)
    await fixture.shot(`select-${option.toLowerCase()}`)
  }

  await openSettings(fixture, RENAMED)
  const url = await line(fixture, 'url')
  await url.getByTitle('Field options').click()
  await choose(fixture, url.locator('.more-btn'), 'Remove')
  await save(fixture, true)
  await visitCollection(fixture, RENAMED)
  same((await row()).includes('https://'), false, 'the value of the removed field')
}

/** A view: a query that cannot run is refused, one that can shows its records. */
export async function createView(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visit(fixture, '/collections')
  await page.getByRole('button', { name: 'New collection' }).click()
  await form(fixture).locator('input[name=name]').fill('texts_by_status')
  await choose(fixture, form(fixture).locator('.collection-type-select'), 'View')
  const query = form(fixture).locator('.editor-content').first()
  await fixture.refused(/^POST \/api\/collections(\/meta\/dry-run-view)?: 400/, async () => {
    await write(fixture, query, 'select nothing from nowhere')
    await form(fixture).getByText('Invalid view query').waitFor()
    await press(form(fixture), 'Create')
  })
  await fixture.shot('view-refused')
  await write(
    fixture,
    query,
    'select min(id) as id, status, count(id) as total from sms_messages group by status',
  )
  await press(form(fixture), 'Create')
  await succeeded(fixture, 'Successfully created collection')
  same(await total(fixture), 1, 'records of the view')
  await page.locator('.records-table tr.handle').first().click()
  await fixture.shot('view-record')
  await deleteCollection(fixture, 'texts_by_status')
}

async function typeName(fixture: DashboardFixture, name: string, done: string): Promise<void> {
  await popup(fixture).locator('input').fill(name)
  await press(popup(fixture), 'Yes')
  await succeeded(fixture, done)
}

async function deleteCollection(fixture: DashboardFixture, name: string): Promise<void> {
  await openSettings(fixture, name)
  await choose(fixture, form(fixture).getByTitle('More options').first(), 'Delete')
  await typeName(fixture, name, 'Successfully deleted collection')
}

/** The collection is copied, emptied, and both are deleted. */
export async function removeCollection(fixture: DashboardFixture): Promise<void> {
  await openSettings(fixture, RENAMED)
  await choose(fixture, form(fixture).getByTitle('More options').first(), 'Duplicate')
  await press(form(fixture), 'Create')
  await succeeded(fixture, 'Successfully created collection')
  await openSettings(fixture, RENAMED)
  await choose(fixture, form(fixture).getByTitle('More options').first(), 'Truncate')
  await typeName(fixture, RENAMED, 'Successfully truncated collection')
  await visitCollection(fixture, RENAMED)
  same(await total(fixture), 0, 'records of the emptied collection')
  await deleteCollection(fixture, RENAMED)
  await deleteCollection(fixture, `${RENAMED}_duplicate`)
  await visit(fixture, '/collections')
  same(await fixture.page.locator('.nav-item', { hasText: RENAMED }).count(), 0, 'what is left of it')
}
