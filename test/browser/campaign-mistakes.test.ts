import { scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const PEOPLE = ['+4915120000001', '+4915120000002', '+4915120000003']

scenario(
  'a mistake is mended for those who have not got it, and others are texted again',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(url, ann, 'desk phone')
    const body = { recipients: PEOPLE, body: 'We open at 8', hold_seconds: 0, quiet_hours: false }
    const { id } = await ann.send('/api/campaigns', { method: 'POST', body })
    const [first] = await phone.claim(1)
    await phone.report(first!, 'sent')
    await fixture.signIn()
    await fixture.visit(`/campaigns/${id}`)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The campaign has begun.').waitFor()
    expect(await dialog.getByLabel('Numbers').count()).toBe(0)
    await dialog.getByLabel('Text', { exact: true }).fill('We open at 9')
    await fixture.look('campaign-mended')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Campaign changed').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    const bodies: string[] = []
    while (bodies.length < 2)
      for (const task of await phone.claim()) {
        bodies.push(task.body)
        await phone.report(task, 'sent')
      }
    expect(bodies).toEqual(['We open at 9', 'We open at 9'])

    await phone.hear(PEOPLE[1]!, 'Thanks')
    await page.getByRole('button', { name: 'Text them again' }).click()
    await dialog.getByText('3 people').first().waitFor()
    await dialog.getByLabel('To', { exact: true }).selectOption('Those who answered')
    await dialog.getByLabel('Text', { exact: true }).fill('See you at 9')
    await dialog.getByRole('button', { name: 'Send to 1 person' }).click()
    await dialog.waitFor({ state: 'detached' })
    // Undo is possible for as long as a claim waits
    const tasks = [...(await phone.claim()), ...(await phone.claim())]
    expect(tasks.map(({ to, body }) => [to, body])).toEqual([[PEOPLE[1], 'See you at 9']])
  },
  {},
  { widths: [1280] },
)
