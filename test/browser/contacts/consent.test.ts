import { scenario } from '../support/browser-fixture.ts'

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

    await fixture.visit(`/groups/${group.id}`)
    await page.getByLabel('Words that join').fill('JOIN, NEWS')
    await page.getByLabel('Ask the person to confirm').check()
    await page.getByLabel('Public page to join').check()
    await page.getByLabel('Send only to people with proof of consent').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('img', { name: 'QR code of the public page' }).waitFor()
    const link = `${fixture.url}/join/${group.id}`
    await page.getByText(link).waitFor()
    expect(await ann.collection('contact_groups').getOne(group.id)).toMatchObject({
      ...{ join_words: 'JOIN, NEWS', join_confirm: true, join_page: true, requires_consent: true },
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
