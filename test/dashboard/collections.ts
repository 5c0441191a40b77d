import {
  choose,
  type Desk,
  form,
  popup,
  press,
  same,
  succeeded,
  total,
  visit,
  visitCollection,
  write,
} from './desk.ts'
import { pick } from './records.ts'

const NAME = 'kitchen'
const RENAMED = 'pantry'
const RULE = '@request.auth.id != "" && text != "secret"'

const input = (desk: Desk, name: string) => form(desk).locator(`input[name="${name}"]`)

/** Where a field stands in the open form, which is part of the names of its inputs. */
async function place(desk: Desk, name: string): Promise<string> {
  const inputs = form(desk).locator('input[name^="fields."][name$=".name"]')
  for (let i = 0; i < (await inputs.count()); i++)
    if ((await inputs.nth(i).inputValue()) === name)
      return (await inputs.nth(i).getAttribute('name'))!.slice(0, -5)
  throw new Error(`no field ${name} in the form`)
}

/** The line of a field, with its settings. */
const line = async (desk: Desk, name: string) =>
  form(desk).locator('details', { has: desk.page.locator(`input[name="${await place(desk, name)}.name"]`) })

async function addField(desk: Desk, menu: number): Promise<void> {
  await form(desk).getByRole('button', { name: 'New field' }).click()
  await desk.page.locator('.field-types-dropdown:popover-open .dropdown-item').nth(menu).click()
}

async function setChoices(desk: Desk, name: string, choices: readonly string[]): Promise<void> {
  const at = await place(desk, name)
  await input(desk, `${at}.values`).click()
  await desk.page.locator('.dropdown:popover-open textarea').fill(choices.join('\n'))
  await desk.page.keyboard.press('Tab')
  await form(desk).locator('input[name=name]').click()
}

/** Takes an option of one of the selects in the line of a field. */
async function setOption(desk: Desk, name: string, select: string, option: string): Promise<void> {
  await (await line(desk, name)).locator(`${select} .selected-container`).first().click()
  await desk.page.locator('.dropdown:popover-open .select-option', { hasText: option }).first().click()
}

const openSettings = async (desk: Desk, name: string) => {
  await visitCollection(desk, name)
  await desk.page.locator('.btn-collection-settings').click()
  await desk.settled()
}

async function save(desk: Desk, confirmed = false): Promise<void> {
  await press(form(desk), 'Save changes')
  if (confirmed) await press(popup(desk), 'Yes, save changes')
  await succeeded(desk, 'Successfully updated collection')
}

/** A collection with a field of each type that the menu offers, an index, and a record with a value in each. */
export async function createCollection(desk: Desk): Promise<void> {
  const { page } = desk
  await visit(desk, '/collections')
  await page.getByRole('button', { name: 'New collection' }).click()
  await form(desk).locator('input[name=name]').fill(NAME)
  await form(desk).getByRole('button', { name: 'New field' }).click()
  const types = await page.locator('.field-types-dropdown:popover-open .dropdown-item').count()
  await page.keyboard.press('Escape')
  for (let i = 0; i < types; i++) await addField(desk, i)
  await desk.refused(/^POST \/api\/collections: 400 .*"values":/, () => press(form(desk), 'Create'))
  await desk.shot('collection-refused')
  await setChoices(desk, 'select', ['red', 'green', 'blue'])
  await setOption(desk, 'relation', '.collections-select', 'contacts')
  await addIndex(desk, 'text')
  await desk.shot('collection-filled')
  await press(form(desk), 'Create')
  await succeeded(desk, 'Successfully created collection')
  same(await page.locator('.breadcrumbs').innerText(), `Collections\n${NAME}`, 'the new collection is open')
  await desk.shot('collection-made')
}

async function addIndex(desk: Desk, column: string): Promise<void> {
  await form(desk).getByRole('button', { name: 'New index' }).click()
  await popup(desk).locator('label', { hasText: 'Unique' }).click()
  await popup(desk)
    .locator('.label.handle', { hasText: new RegExp(`^${column}$`) })
    .click()
  await press(popup(desk), 'Set index')
}

const TYPED: Readonly<Record<string, string>> = {
  number: '12.5',
  email: 'ann@example.com',
  url: 'https://example.com',
  date: '2026-11-20T07:00:30',
}

/** A record of that collection, its values filled in field by field. */
export async function createRecordOfAll(desk: Desk): Promise<void> {
  const { page } = desk
  await visitCollection(desk, NAME)
  await page.locator('.new-record-btn').click()
  const box = form(desk)
  await box.locator('textarea[name=text]').fill('Hello')
  for (const [name, value] of Object.entries(TYPED)) await box.locator(`input[name=${name}]`).fill(value)
  await box.locator('.field-type-bool label').click()
  await box.locator('.field-type-select .selected-container').click()
  await page.locator('.dropdown:popover-open .select-option', { hasText: 'green' }).click()
  await write(desk, box.locator('.field-type-json .editor-content'), '{"a":[1,2.50]}')
  const [lon, lat] = [box.locator('input[name=geoPoint]').first(), box.locator('input[name=geoPoint]').last()]
  await lon.fill('-0.12')
  await lat.fill('51.5')
  await pick(desk, 'relation', ['Contact 3'])
  await box.frameLocator('.field-type-editor iframe').locator('body').pressSequentially('Bold words')
  await box.locator('textarea[name=text]').click()
  await desk.shot('record-of-all')
  await press(box, 'Create')
  await succeeded(desk, `Successfully created ${NAME}`)
  same(await total(desk), 1, 'records of the new collection')
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
  await desk.shot('record-of-all-listed')
}

/** Rules: one that cannot be read is refused at its field, then one that can; then the rule shows again. */
export async function editRules(desk: Desk): Promise<void> {
  const { page } = desk
  await openSettings(desk, NAME)
  await form(desk).getByRole('button', { name: 'API rules' }).click()
  const list = form(desk).locator('.rule-field').first()
  await list.locator('.unlock-overlay').click()
  await write(desk, list.locator('.editor-content'), 'nothing_like_it = 1')
  await desk.refused(/^PATCH \/api\/collections\/\w+: 400 .*"listRule"/, () =>
    press(form(desk), 'Save changes'),
  )
  const fault = form(desk).locator('.field-help.error').first()
  await fault.waitFor()
  same(/nothing_like_it/.test(await fault.innerText()), true, 'the fault names the field')
  await desk.shot('rule-refused')
  await write(desk, list.locator('.editor-content'), RULE)
  await form(desk).locator('.rule-field').nth(1).locator('.unlock-overlay').click()
  await save(desk)
  await openSettings(desk, NAME)
  await form(desk).getByRole('button', { name: 'API rules' }).click()
  same(await list.locator('.editor-content').innerText(), RULE, 'the rule that was saved')
  await page.keyboard.press('Escape')
}

/** A renamed field and a renamed collection keep their values; a select becomes multiple and single again. */
export async function changeFields(desk: Desk): Promise<void> {
  const { page } = desk
  const row = () => page.locator('.records-table tr.handle').innerText()
  await openSettings(desk, NAME)
  await input(desk, `${await place(desk, 'number')}.name`).fill('weight')
  await input(desk, 'name').fill(RENAMED)
  await desk.page.waitForTimeout(300) // the form writes the new name into its indexes after a moment
  await save(desk, true)
  await visitCollection(desk, RENAMED)
  same((await row()).includes('12.5'), true, 'the value of the renamed field')

  for (const [option, confirmed] of [
    ['Multiple', false],
    ['Single', true],
  ] as const) {
    await openSettings(desk, RENAMED)
    await setOption(desk, 'select', '.single-multiple-select', option)
    await save(desk, confirmed)
    await visitCollection(desk, RENAMED)
    same((await row()).includes('green'), true, `the choice once the select is ${option}`)
    await desk.shot(`select-${option.toLowerCase()}`)
  }

  await openSettings(desk, RENAMED)
  const url = await line(desk, 'url')
  await url.getByTitle('Field options').click()
  await choose(desk, url.locator('.more-btn'), 'Remove')
  await save(desk, true)
  await visitCollection(desk, RENAMED)
  same((await row()).includes('https://'), false, 'the value of the removed field')
}

/** A view: a query that cannot run is refused, one that can shows its records. */
export async function createView(desk: Desk): Promise<void> {
  const { page } = desk
  await visit(desk, '/collections')
  await page.getByRole('button', { name: 'New collection' }).click()
  await form(desk).locator('input[name=name]').fill('texts_by_status')
  await choose(desk, form(desk).locator('.collection-type-select'), 'View')
  const query = form(desk).locator('.editor-content').first()
  await desk.refused(/^POST \/api\/collections(\/meta\/dry-run-view)?: 400/, async () => {
    await write(desk, query, 'select nothing from nowhere')
    await form(desk).getByText('Invalid view query').waitFor()
    await press(form(desk), 'Create')
  })
  await desk.shot('view-refused')
  await write(
    desk,
    query,
    'select min(id) as id, status, count(id) as total from sms_messages group by status',
  )
  await press(form(desk), 'Create')
  await succeeded(desk, 'Successfully created collection')
  same(await total(desk), 1, 'records of the view')
  await page.locator('.records-table tr.handle').first().click()
  await desk.shot('view-record')
  await deleteCollection(desk, 'texts_by_status')
}

async function typeName(desk: Desk, name: string, done: string): Promise<void> {
  await popup(desk).locator('input').fill(name)
  await press(popup(desk), 'Yes')
  await succeeded(desk, done)
}

async function deleteCollection(desk: Desk, name: string): Promise<void> {
  await openSettings(desk, name)
  await choose(desk, form(desk).getByTitle('More options').first(), 'Delete')
  await typeName(desk, name, 'Successfully deleted collection')
}

/** The collection is copied, emptied, and both are deleted. */
export async function removeCollection(desk: Desk): Promise<void> {
  await openSettings(desk, RENAMED)
  await choose(desk, form(desk).getByTitle('More options').first(), 'Duplicate')
  await press(form(desk), 'Create')
  await succeeded(desk, 'Successfully created collection')
  await openSettings(desk, RENAMED)
  await choose(desk, form(desk).getByTitle('More options').first(), 'Truncate')
  await typeName(desk, RENAMED, 'Successfully truncated collection')
  await visitCollection(desk, RENAMED)
  same(await total(desk), 0, 'records of the emptied collection')
  await deleteCollection(desk, RENAMED)
  await deleteCollection(desk, `${RENAMED}_duplicate`)
  await visit(desk, '/collections')
  same(await desk.page.locator('.nav-item', { hasText: RENAMED }).count(), 0, 'what is left of it')
}
