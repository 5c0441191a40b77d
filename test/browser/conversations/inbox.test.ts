import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { closePanel, openPanelMenu, showView } from '../support/inbox-layout.ts'
import { pairPhone } from '../support/phone.ts'

const ZOE = '+4915112345678'

scenario(
  'a conversation gets notes, a scheduled text, a reminder and a block, and is archived',
  async (fixture) => {
    const { page, url, screen } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(url, ann, 'Desk phone')
    for (let i = 0; i < 30; i++)
      await phone.hear(ZOE, `Question ${i}, which is long enough for two lines`)
    await fixture.signIn()
    await fixture.visit('/conversations')
    const list = page.getByRole('region', { name: 'Conversations' })
    await list.getByRole('link', { name: /unread/ }).waitFor()
    await page.getByRole('button', { name: 'Do not offer this again' }).click()
    if (screen === 'phone')
      expect((await list.getByRole('listitem').first().boundingBox())!.y).toBeLessThan(120)
    await list.getByRole('link', { name: /unread/ }).click()

    // at the newest text, which is on the screen; the box grows with what is typed
    const texts = page.getByRole('log')
    await texts.getByText('Question 29,').waitFor()
    const answer = page.getByLabel('Answer from Desk phone')
    const { height } = page.viewportSize()!
    const [newest, small] = await Promise.all([
      texts.getByText('Question 29,').boundingBox(),
      answer.boundingBox(),
    ])
    expect(newest!.y + newest!.height).toBeLessThan(small!.y)
    expect(small!.y + small!.height).toBeLessThan(height)
    expect(await page.getByTitle('Ctrl+Enter').count()).toBe(screen === 'phone' ? 0 : 1)
    await answer.fill('One\nTwo\nThree')
    expect((await answer.boundingBox())!.height).toBeGreaterThan(small!.height + 30)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)

    await answer.fill('See you tomorrow')
    await page.getByRole('button', { name: 'Send later' }).click()
    await fixture.look('conversation-send-later')
    await page.getByRole('button', { name: /^Tomorrow/ }).click()
    // the account has the browser's time zone, which is not named
    await texts.getByText(/9:00\sAM\s?Scheduled/).waitFor()
    await texts.getByRole('button', { name: 'Cancel the message' }).click()
    await texts.getByText('Canceled', { exact: true }).first().waitFor()

    await page.getByRole('button', { name: 'Note', exact: true }).click()
    const note = page.getByLabel('Note: it is not sent')
    await note.pressSequentially('Ask @a')
    await page.getByRole('option', { name: /Ann/ }).click()
    await note.pressSequentially('about the price')
    await page.getByRole('button', { name: 'Save the note' }).click()
    await texts.getByText('Ask @Ann about the price').waitFor()
    const saved = () => ann.collection('conversation_notes').getFullList()
    await expect
      .poll(saved)
      .toMatchObject([{ text: 'Ask @Ann about the price', mentions: [ann.authStore.record!.id] }])
    await fixture.look('conversation-note')

    await openPanelMenu(fixture)
    await page.getByRole('button', { name: 'Block', exact: true }).click()
    await page
      .getByRole('dialog')
      .last()
      .getByRole('button', { name: 'Block', exact: true })
      .click()
    await openPanelMenu(fixture)
    await page.getByRole('button', { name: 'Unblock' }).click()
    await page.getByText('Unblocked').waitFor()
    await closePanel(fixture)

    await page.getByRole('button', { name: 'Follow up' }).click()
    await page.getByRole('button', { name: /^Tomorrow/ }).click()
    await page.getByRole('button', { name: /Remove the follow-up/ }).waitFor()
    await openPanelMenu(fixture)
    await page.getByRole('button', { name: 'Mark as unread' }).click()
    await list.getByRole('link', { name: /1 unread/ }).waitFor()
    await showView(fixture, 'Waiting')
    await list.getByText('Nobody waits for an answer.').waitFor()
    await showView(fixture, 'Follow-up')
    await list.getByRole('link', { name: /1 unread/ }).waitFor()
    await showView(fixture, 'All')
    if (screen === 'phone') await swipe(fixture)
    else {
      await list.getByRole('link', { name: /1 unread/ }).click()
      await page.getByRole('button', { name: 'Archive', exact: true }).waitFor()
      await texts.focus()
      await page.keyboard.press('e')
    }
    await list.getByText('Texts that come in').waitFor()
    await showView(fixture, 'Archived')
    await list.getByRole('listitem').waitFor()
  },
)

/** A finger moves the first conversation of the list to the left. */
async function swipe({ page }: BrowserFixture) {
  const row = (await page.getByRole('listitem').first().boundingBox())!
  const y = row.y + row.height / 2
  const client = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: x === undefined ? [] : [{ x, y }],
    })
  await touch('touchStart', 300)
  for (const x of [260, 220, 180, 140]) await touch('touchMove', x)
  await touch('touchEnd')
}
