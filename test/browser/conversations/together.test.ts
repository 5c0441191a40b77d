import { scenario } from '../support/browser-fixture.ts'
import { BEN, makeTeam, signInAsBen } from '../support/team.ts'

const ZOE = '+4915112345678'
const THREAD = `/#/conversations/${encodeURIComponent(ZOE)}`
const ANSWER = 'Answer from Desk phone'

scenario('two members who send at the same time learn of it, and see who writes', async (ann) => {
  const { page, url } = ann
  const phone = await makeTeam(ann, true)
  await phone.hear(ZOE, 'Are you open?')
  await ann.signIn()
  const ben = await ann.another()
  await signInAsBen(ben, url)
  await ben.page.getByText('Are you open?').waitFor()
  await ann.visit('/conversations')
  await page.getByText('Are you open?').waitFor()

  await ben.page.goto(url + THREAD)
  await ben.page.getByLabel(ANSWER).pressSequentially('We are')
  await page.getByText('Ben is writing').waitFor()
  await page.goto(url + THREAD)
  await page.getByLabel(ANSWER).fill('Yes, until six')
  const { promise: held, resolve: go } = Promise.withResolvers<void>()
  await page.route('**/api/sms/send', async (route) => {
    await held
    await route.continue()
  })
  await ben.page.getByLabel(ANSWER).pressSequentially(' open')
  await page.locator('.conversations-presence').getByText('Ben is writing').waitFor()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const question = page.getByRole('dialog', { name: 'Ben is writing an answer' })
  await question.getByText('If you both send, the person gets two answers.').waitFor()
  const asked = page.waitForRequest('**/api/sms/send')
  await question.getByRole('button', { name: 'Send anyway' }).click()
  await asked
  await ben.page.locator('.conversations-presence').getByText('is reading').waitFor()
  await ben.page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByLabel('Texts').getByText('We are').waitFor()
  go()
  const notice = page.locator('.conversations-rival')
  await notice.getByText(`${BEN.name} has answered at the same time`).waitFor()
  expect(await ben.page.getByText('has answered at the same time').count()).toBe(0)
  await ann.look('answered-at-the-same-time')
  await notice.getByRole('button', { name: 'Assign to me' }).click()
  await page.getByText('Assigned to you').waitFor()
  expect(await notice.count()).toBe(0)
})

scenario('a list names who sent a text, and forgets the day of a canceled one', async (ann) => {
  const { page } = ann
  const phone = await makeTeam(ann, true)
  await phone.hear(ZOE, 'Are you open?')
  const owner = await ann.ann()
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString()
  const text = { recipients: [ZOE], body: 'See you', scheduled_at }
  const { message_ids } = await owner.send('/api/sms/send', { method: 'POST', body: text })
  await ann.signIn()
  await ann.visit('/conversations')
  await page.getByText('Scheduled: See you').waitFor()
  await owner.send(`/api/sms/messages/${message_ids[0]}/cancel`, { method: 'POST' })
  await page.getByText('Canceled: See you').waitFor()
  await page.getByText(/^due /).waitFor({ state: 'detached' })

  const user = owner.authStore.record!.id
  const { key } = await owner.collection('api_keys').create({ user, name: 'Shop' })
  const shop = {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
  }
  const body = JSON.stringify({ recipients: [ZOE], body: 'Your parcel' })
  expect((await fetch(`${ann.url}/api/sms/send`, { ...shop, body })).ok).toBe(true)
  await page.getByText('API key Shop: Your parcel').waitFor()
})
