import { chooseAction, scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const ZOE = '+4915112345678'
const PEOPLE = [
  ['Anna', '+4915110000011'],
  ['Ben', '+4915110000012'],
] as const

scenario(
  'many people are opted out at a question, and Undo takes it back without an agreement',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    for (const [name, phone] of PEOPLE)
      await ann.collection('contacts').create({ user, name, phone })
    const isOut = async () =>
      (await ann.collection('contacts').getFullList()).map(({ opted_out }) => opted_out)
    await fixture.signIn()
    await fixture.visit('/contacts')
    for (const [name] of PEOPLE) await page.getByLabel(`Choose ${name}`).check()
    const press = () => chooseAction(fixture, 'Opt out')
    await press()
    const question = page.getByRole('dialog', { name: 'Opt 2 contacts out?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await isOut()).toEqual([false, false])
    await press()
    await question.getByRole('button', { name: 'Opt out' }).click()
    await page.getByText('2 contacts opted out').waitFor()
    expect(await isOut()).toEqual([true, true])
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('Undone. The record of consent says that it was a mistake.').waitFor()
    expect(await isOut()).toEqual([false, false])
    const events = (await ann.collection('consents').getFullList()).map(({ event }) => event)
    expect(events.sort()).toEqual(['opt_out', 'opt_out', 'undone', 'undone'])
  },
)

scenario(
  'a conversation asks about a text that reads like an opt-out, and Today about the words of the country',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    const settings = ann.collection('user_settings')
    const [stored] = await settings.getFullList()
    // moved from one country to another: nobody has chosen words
    const { id } = stored
      ? await settings.update(stored.id, { country: 'DE' })
      : await settings.create({ user, country: 'DE' })
    await settings.update(id, { country: 'FR' })
    const phone = await pairPhone(fixture.url, ann, 'desk phone')
    await phone.hear(ZOE, 'Please do not text me any more')
    await fixture.signIn()
    await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
    const question = page.getByText('Reads like an opt-out: opt out?')
    await question.waitFor()
    await fixture.look('opt-out-question')
    await page.getByRole('button', { name: 'No', exact: true }).click()
    await question.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('log').getByText('Please do not text me any more').waitFor()
    expect(await question.count()).toBe(0)
    await phone.hear(ZOE, 'Please do not text me any more')
    await question.waitFor()
    await page.getByRole('button', { name: 'Opt out', exact: true }).click()
    await page.getByText('1 contact opted out').waitFor()
    await question.waitFor({ state: 'detached' })
    const [entry] = await ann.collection('consents').getFullList()
    expect([entry?.event, entry?.said]).toEqual(['opt_out', 'Please do not text me any more'])

    await fixture.visit('/today')
    const card = page.locator('.card', { hasText: 'Opt-out words of your country' })
    await card.getByText('these languages count, too: French?').waitFor()
    await card.getByText('You can change it on the page Account.').waitFor()
    await fixture.look('opt-out-words')
    await card.getByRole('button', { name: 'Yes, let them count' }).click()
    await card.waitFor({ state: 'detached' })
    const now = await settings.getOne(id)
    expect([now.opt_out_languages, now.opt_out_chosen]).toEqual([['de', 'fr'], true])
  },
)
