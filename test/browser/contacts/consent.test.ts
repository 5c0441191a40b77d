import { scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const NUMBER = '+4915120000000'
const SHOWN = 'I want offers of Ann by text.'

scenario(
  "a contact's consents and a group's page show the proof, the link and its picture",
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    const group = await ann.collection('contact_groups').create({ user, name: 'News' })
    const contact = await ann.collection('contacts').create({ user, name: 'Zoë', phone: NUMBER })
    const consent = { user, number: NUMBER, event: 'opt_in', source: 'page', shown: SHOWN }
    await ann
      .collection('consents')
      .create({ ...consent, group: group.id, version: 'v1', said: 'Yes', browser: 'Firefox' })
    await fixture.signIn()

    await fixture.visit('/contacts')
    await page.getByRole('link', { name: 'Zoë', exact: true }).click()
    await page.getByText('News: agreed').waitFor()
    const step = page.getByRole('listitem').filter({ hasText: 'Agreed: News' })
    for (const proof of [SHOWN, 'v1', 'Yes', 'Firefox', 'the public page', 'Ann'])
      await step.getByText(proof).first().waitFor()
    // a record that is added meanwhile appears
    await ann.collection('contacts').update(contact.id, { opted_out: true })
    await page.getByText('Opted out: All texts').waitFor()
    await page.getByText('News: stopped').waitFor()
    await fixture.look('contact-consent')

    // members below the first ten are shown by a button: scrolling reaches the settings below them
    for (let i = 0; i < 11; i++)
      await ann.collection('contacts').create({
        user,
        name: `Member ${i + 10}`,
        phone: `+49151200001${i + 10}`,
        groups: [group.id],
      })
    await fixture.visit(`/groups/${group.id}`)
    const more = page.getByRole('button', { name: 'Show more' })
    await more.scrollIntoViewIfNeeded()
    await more.click()
    await page.getByRole('link', { name: 'Member 20' }).waitFor()
    await page.getByLabel('Words that join').fill('JOIN, NEWS')
    await page.getByLabel('Ask the person to confirm').check()
    await page.getByLabel('Public page to join').check()
    await page.getByLabel('Send only to people with proof of consent').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('img', { name: 'QR code of the public page' }).waitFor()
    const link = `${fixture.url}/join/${group.id}`
    await page.getByText(link).waitFor()
    expect(await ann.collection('contact_groups').getOne(group.id)).toMatchObject({
      join_words: 'JOIN, NEWS',
      join_confirm: true,
      join_page: true,
      requires_consent: true,
    })
    await fixture.look('group')
    expect((await fetch(link)).status).toBe(200)

    await fixture.visit('/account')
    await page.getByLabel('Received texts (days)').fill('30')
    const card = page.locator('.card').filter({ hasText: 'Deletion after a time' })
    await card.getByRole('button', { name: 'Save' }).click()
    await page.getByText('after 30 days; none yet').waitFor()
    await fixture.look('retention')
  },
)

scenario('a send that nobody would get is off until consents are recorded', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  await pairPhone(fixture.url, ann, 'desk phone')
  const user = ann.authStore.record!.id
  const consents = () => ann.collection('consents').getFullList({ sort: 'created,@rowid' })
  const group = await ann
    .collection('contact_groups')
    .create({ user, name: 'News', requires_consent: true })
  const member = { user, groups: [group.id] }
  await ann.collection('contacts').create({ ...member, name: 'Zoë', phone: NUMBER })
  await ann.collection('contacts').create({ ...member, name: 'Bob', phone: '+4915120000001' })
  await fixture.signIn()
  const send = page.getByRole('button', { name: /^Send( to 2 people)?$/ })

  await fixture.visit(`/send?group=${group.id}`)
  await page.getByLabel('Text', { exact: true }).fill('Sale')
  await page.getByText('Nobody gets this text.').waitFor()
  await page.getByText('Record a consent on the page of a contact').waitFor()
  expect(await send.isDisabled()).toBe(true)
  await fixture.look('send-nobody')

  // the group shows its members first
  await fixture.visit(`/groups/${group.id}`)
  await page.getByRole('heading', { name: '2 members' }).waitFor()
  await fixture.look('group-members')
  await page.getByRole('link', { name: 'Zoë', exact: true }).click()
  await page.getByText('No consent recorded for this number.').waitFor()
  await page.getByText('Not opted out').waitFor()
  await page.getByRole('button', { name: 'Record a consent' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('it is the proof').waitFor()
  await dialog.getByLabel('For', { exact: true }).selectOption('News')
  await dialog.getByLabel('Text to which they agreed').fill(SHOWN)
  await dialog.getByLabel('Day').fill('2026-01-15')
  await dialog.getByLabel('How they agreed').fill('On the form at the desk')
  await fixture.look('record-consent')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('News: agreed').waitFor()
  const step = page.getByRole('listitem').filter({ hasText: 'Agreed: News' })
  for (const proof of [SHOWN, 'On the form at the desk', 'the console', 'Ann'])
    await step.getByText(proof).first().waitFor()
  await step.getByText('Thursday, January 15, 2026', { exact: true }).waitFor()
  expect(await consents()).toMatchObject([
    { event: 'opt_in', source: 'console', shown: SHOWN, group: group.id, entered_by: user },
  ])

  await fixture.visit('/contacts')
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByLabel('An Excel, CSV or vCard file').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Name,Phone\nZimmer 101,+49 1512 0000001\nCleo,+49 1512 0000002'),
  })
  await page.getByRole('cell', { name: 'Zimmer 101' }).waitFor()
  await page.getByLabel('Put all of them into').selectOption('News')
  await page.getByLabel('All of them have agreed to get texts').check()
  await page.getByRole('button', { name: 'Import 2' }).click()
  await page.getByText('it is the proof').waitFor()
  await page.getByLabel('Text to which they agreed').fill(SHOWN)
  await page.getByLabel('How they agreed').fill('On the old site')
  await fixture.look('import-consent')
  await page.getByRole('button', { name: 'Import 2' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  const states = await ann.collection('consent_states').getFullList({ filter: 'state = "given"' })
  expect(states.map(({ group }) => group)).toEqual([group.id, group.id, group.id])
  expect((await consents()).filter(({ said }) => said === 'On the old site')).toMatchObject([
    { event: 'imported', source: 'import', shown: SHOWN },
    { event: 'imported', source: 'import', shown: SHOWN },
  ])

  // a person who has opted out is not counted
  const cleo = await ann.collection('contacts').getFirstListItem('name = "Cleo"')
  await ann.collection('contacts').update(cleo.id, { opted_out: true })
  await fixture.visit(`/send?group=${group.id}`)
  await page.getByLabel('Text', { exact: true }).fill('Sale {{name}}')
  await page.getByText('2 people, 2 segments').waitFor()
  await page.getByRole('button', { name: 'Send to 2 people' }).waitFor()
})
