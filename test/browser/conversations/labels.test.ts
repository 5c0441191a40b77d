import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { hasViewMenu } from '../support/inbox-layout.ts'
import { press } from '../support/keyboard.ts'
import { makeTeam } from '../support/team.ts'

const ZOE = '+4915112345671'
const MAX = '+4915112345672'

/** By how many pixels the list's column is scrolled sideways, and could be. */
const findScrollable = ({ page }: BrowserFixture): Promise<number[]> =>
  page
    .locator('.conversations-list')
    .evaluate((column) => [column.scrollLeft, column.scrollWidth - column.clientWidth])

/** Presses a view, a label or the button of a new view. */
async function openView(fixture: BrowserFixture, name: string) {
  const { page } = fixture
  if (hasViewMenu(fixture))
    await page.locator('.conversations-find .menu > .button').first().click()
  expect(await findScrollable(fixture)).toEqual([0, 0])
  await page.locator('.conversations-views').getByRole('button', { name }).click()
}

scenario('labels are created by keys, set, filtered by, changed and deleted', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const phone = await makeTeam(fixture, true)
  for (const number of [ZOE, MAX]) await phone.hear(number, `Hello from ${number}`)
  await fixture.signIn()
  await fixture.visit(`/conversations/${ZOE}`)
  const header = page.locator('.conversations-head')
  const list = page.getByRole('region', { name: 'Conversations', exact: true })
  await header.getByRole('button', { name: 'Labels' }).waitFor()
  const findLabels = async (number: string) => {
    const filter = ann.filter('number = {:number}', { number })
    const found = await ann.collection('conversations').getFirstListItem(filter, {
      expand: 'labels',
    })
    return (found.expand?.labels ?? []).map(({ name }: { name: string }) => name)
  }

  await page.locator('h1').click()
  await press(fixture, 'l')
  const field = page.getByRole('textbox', { name: 'Find or create a label' })
  await field.waitFor()
  await field.fill('VIP')
  await field.press('Enter')
  await header.getByText('VIP', { exact: true }).first().waitFor()
  await fixture.look('labels-chooser')
  await field.fill('Late')
  await field.press('Enter')
  await page.locator('.label-chooser').getByRole('button', { name: 'Late' }).waitFor()
  await expect.poll(() => findLabels(ZOE)).toEqual(['VIP', 'Late'])
  // Enter removes a label that is set, and says so
  await field.fill('VIP')
  await field.press('Enter')
  await page.getByText('Label VIP removed').waitFor()
  await expect.poll(() => findLabels(ZOE)).toEqual(['Late'])
  await page.locator('.toasts').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => findLabels(ZOE)).toEqual(['Late', 'VIP'])
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })

  await fixture.visit('/conversations')
  await list.getByText('VIP', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Choose several' }).click()
  for (const box of await list.getByRole('checkbox').all()) await box.check()
  await list.getByRole('button', { name: 'Labels' }).click()
  await fixture.look('labels-chosen')
  expect(await findScrollable(fixture)).toEqual([0, 0])
  await page.locator('.label-chooser').getByRole('button', { name: 'VIP' }).click()
  await expect.poll(() => findLabels(MAX)).toEqual(['VIP'])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Choose several' }).click()

  await openView(fixture, 'Late')
  await expect.poll(() => list.locator('.conversations-row').count()).toBe(1)
  await fixture.look('labels-view')
  // the address keeps the label over a reload, in a link, and when the person goes back
  const address = /#\/conversations\?view=\w+$/
  await page.waitForURL(address)
  await page.reload()
  await list.locator('.conversations-row').click()
  await page.waitForURL(/conversations\/.+view=\w+$/)
  await page.getByRole('heading', { name: /49 1511 2345671/ }).waitFor()
  await page.goBack()
  await page.waitForURL(address)
  expect(await list.locator('.conversations-row').count()).toBe(1)

  await ann
    .collection('contacts')
    .create({ user: ann.authStore.record!.id, name: 'Max', phone: MAX })
  await fixture.visit('/contacts')
  await page.getByRole('combobox', { name: 'Show' }).selectOption({ label: 'VIP' })
  await page.getByRole('link', { name: 'Max', exact: true }).waitFor()
  await page.getByRole('checkbox', { name: 'Choose Max' }).check()
  await page.getByRole('button', { name: 'Labels', exact: true }).click()
  await page.locator('.label-chooser').getByRole('button', { name: 'Late' }).click()
  await expect.poll(() => findLabels(MAX)).toEqual(['VIP', 'Late'])
  await fixture.look('labels-contacts')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Max', exact: true }).click()
  await page.getByRole('heading', { name: 'Max' }).waitFor()
  await page.locator('main').getByRole('button', { name: 'Labels', exact: true }).click()
  await page.locator('.label-chooser').getByRole('button', { name: 'Late' }).click()
  await expect.poll(() => findLabels(MAX)).toEqual(['VIP'])

  const user = ann.authStore.record!.id
  const label = (await ann.collection('labels').getFirstListItem('name = "VIP"')).id
  const uses = { user, label, labels: [label], preset: 'text', recipients: [MAX] }
  await ann.collection('inbox_views').create({ ...uses, name: 'Waits' })
  await ann.collection('auto_answers').create({ ...uses, name: 'Price', match: 'any', body: '9' })
  for (const name of ['Shop', 'Till']) await ann.collection('hooks').create({ ...uses, name })
  await fixture.visit('/labels')
  await page.getByRole('button', { name: 'Change Late' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill('vip')
  await fixture.refused(/^PATCH \/api\/collections\/labels\/records\/\w+: 400/, async () => {
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('There is a label with this name already.').waitFor()
  })
  await page.getByRole('textbox', { name: 'Name' }).fill('Too late')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Label saved').waitFor()
  const { id: late } = await ann.collection('labels').getFirstListItem('name = "Too late"')
  const counted = () =>
    page
      .getByRole('row', { name: /Too late/ })
      .locator('[data-title="Contacts"]')
      .innerText()
  await expect.poll(counted).toBe('0')
  await ann.collection('contacts').create({ user, phone: '+4915100000077', labels: [late] })
  await expect.poll(counted).toBe('1') // without a reload
  await fixture.look('labels')
  await page.getByRole('button', { name: 'Delete VIP' }).first().click()
  const asked = page.getByRole('dialog')
  for (const words of [
    '2 conversations lose it. The conversations stay.',
    'One contact loses it and stays, too.',
    'Views that list by it: Waits.',
    'Automatic answers that set it: Price.',
    'Incoming webhooks that set it: Shop and Till.',
  ])
    await asked.getByText(words).waitFor()
  await asked.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Label deleted').waitFor()
  expect(await findLabels(ZOE)).toEqual(['Too late'])
})

scenario(
  'a saved view lists, counts, is shared, and says that its label was deleted',
  async (fixture) => {
    const { page, say } = fixture
    const ann = await fixture.ann()
    const phone = await makeTeam(fixture, true)
    for (const number of [ZOE, MAX]) await phone.hear(number, `Hello from ${number}`)
    const user = ann.authStore.record!.id
    const label = await ann.collection('labels').create({ user, name: 'VIP', color: 'red' })
    const { id } = await ann.collection('conversations').getFirstListItem(`number = "${ZOE}"`)
    await ann.collection('conversations').update(id, { labels: [label.id] })
    await fixture.signIn()
    await fixture.visit('/conversations')
    const list = page.getByRole('region', { name: say('Conversations'), exact: true })
    const rows = list.locator('.conversations-row')
    await rows.first().waitFor()

    await openView(fixture, say('New view'))
    const dialog = page.getByRole('dialog', { name: say('New view') })
    await dialog.getByRole('textbox', { name: say('Name') }).fill('Wichtig')
    await dialog.getByRole('combobox', { name: say('Conversations') }).selectOption('waiting')
    await dialog.getByRole('checkbox', { name: 'VIP' }).check()
    await dialog.getByRole('checkbox', { name: say('For the whole team') }).check()
    await fixture.look('views-new')
    await dialog.getByRole('button', { name: say('Save') }).click()
    await page.getByText(say('View created')).waitFor()
    await expect.poll(() => rows.count()).toBe(1)
    await list.getByRole('button', { name: say('Change the view') }).waitFor()
    const shown = hasViewMenu(fixture)
      ? page.locator('.conversations-find .menu').getByRole('button', { name: /^Wichtig 1/ })
      : page.getByRole('button', { name: 'Wichtig 1' })
    await shown.first().waitFor()

    await ann.collection('labels').delete(label.id)
    await page.getByText(say('A label of this view was deleted.')).first().waitFor()
    await page.getByText(say('No conversation is in this view.')).waitFor()
    await fixture.look('views-lost')
    await list.getByRole('button', { name: say('Change the view') }).click()
    await page.getByRole('button', { name: say('Delete the view') }).click()
    await page
      .getByRole('dialog', { name: say('Delete the view {name}?', { name: 'Wichtig' }) })
      .getByRole('button', { name: say('Delete'), exact: true })
      .click()
    await page.getByText(say('View deleted')).waitFor()
    await expect.poll(() => rows.count()).toBe(2)
  },
  {},
  { locale: 'de-DE' },
)
