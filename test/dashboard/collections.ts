import {
  choose,
  type DashboardFixture,
  form,
  popup,
  press,
  same,
  succeeded,
  visit,
} from './dashboard-fixture.ts'

const NAME = 'kitchen'

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
  await fixture.refused(/^POST \/api\/collections: 400 .*"values":/, () => press(form(fixture), 'Create'))
  await fixture.shot('collection-refused')
  await setChoices(fixture, 'select', ['red', 'green', 'blue'])
  await setOption(fixture, 'relation', '.collections-select', 'contacts')
  await fixture.shot('collection-filled')
  await press(form(fixture), 'Create')
  await succeeded(fixture, 'Successfully created collection')
  same(await page.locator('.breadcrumbs').innerText(), `Collections\n${NAME}`, 'the new collection is open')
  await fixture.shot('collection-made')
  await page.locator('.btn-collection-settings').click()
  await fixture.settled()
  await choose(fixture, form(fixture).getByTitle('More options').first(), 'Delete')
  await popup(fixture).locator('input').fill(NAME)
  await press(popup(fixture), 'Yes')
  await succeeded(fixture, 'Successfully deleted collection')
}
