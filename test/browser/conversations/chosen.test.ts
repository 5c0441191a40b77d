import { scenario } from '../support/browser-fixture.ts'
import { BEN, makeTeam } from '../support/team.ts'

const NUMBERS = ['+4915112345671', '+4915112345672', '+4915112345673'] as const

scenario(
  'several chosen conversations are assigned, read, archived and written to',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const phone = await makeTeam(fixture, true)
    for (const number of NUMBERS) await phone.hear(number, `Hello from ${number}`)
    const count = async (filter: string) =>
      (await ann.collection('conversations').getList(1, 1, { filter })).totalItems
    await fixture.signIn()
    await fixture.visit('/conversations')
    const list = page.getByRole('region', { name: 'Conversations', exact: true })
    const boxes = list.getByRole('checkbox')
    const startChoosing = async () => {
      await page.getByRole('button', { name: 'Choose several' }).click()
      await boxes.first().waitFor()
    }

    await list
      .getByRole('link', { name: /unread/ })
      .nth(2)
      .waitFor()
    expect(await boxes.count()).toBe(0)
    await startChoosing()
    expect(await page.getByRole('button', { name: 'Mark as read' }).isDisabled()).toBe(true)
    const lastButton = page.getByRole('button', { name: 'Send to the chosen' })
    const places = async () => [await boxes.nth(1).boundingBox(), await lastButton.boundingBox()]
    const before = await places()
    await boxes.nth(0).check()
    await page.getByText('1 chosen').waitFor()
    expect(await places()).toEqual(before)
    // a press of the row marks its box, too, and opens nothing
    await list.getByRole('link').nth(1).click()
    await page.getByText('2 chosen').waitFor()
    expect(page.url()).toMatch(/conversations$/)
    await fixture.look('conversations-chosen')
    await page.getByRole('button', { name: 'Mark as read' }).click()
    await page.getByText('2 conversations marked as read').waitFor()
    expect(await count('unread > 0')).toBe(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone').waitFor()
    expect(await count('unread > 0')).toBe(3)

    await startChoosing()
    await page.getByRole('button', { name: 'Choose all shown' }).click()
    await page.getByText('3 chosen').waitFor()
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.locator('.menu-panel').getByRole('button', { name: BEN.name }).click()
    await page.getByText(`Assigned to ${BEN.name}`).waitFor()
    expect(await count('assignee.name = "Ben"')).toBe(3)

    await startChoosing()
    await boxes.nth(0).check()
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.locator('.menu-panel').getByRole('button', { name: 'Me', exact: true }).click()
    await page.getByRole('heading', { name: 'Take it from Ben?' }).waitFor()
    await page.getByRole('button', { name: 'Take it' }).click()
    await page.getByText('Assigned to you', { exact: true }).waitFor()
    expect(await count('assignee.name = "Ben"')).toBe(2)

    await startChoosing()
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    await page.getByRole('button', { name: 'Archive', exact: true }).click()
    await page.getByText('2 conversations archived').waitFor()
    await list.getByRole('listitem').nth(1).waitFor({ state: 'detached' })
    expect(await count('archived = true')).toBe(2)

    await startChoosing()
    await page.getByRole('button', { name: 'Choose all shown' }).click()
    await lastButton.click()
    await page.getByRole('heading', { name: 'Send' }).waitFor()
    const left = (await ann.collection('conversations').getFirstListItem('archived = false')).number
    expect(page.url()).toContain(encodeURIComponent(left))
  },
  {},
  { widths: [390, 1280, 1440] },
)
