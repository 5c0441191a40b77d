import { scenario } from '../support/browser-fixture.ts'
import { openConversation } from '../support/conversation.ts'

const TEXTS = 12
const MAX_DELAY_MS = 900

/** Notes in the page how many bubbles each text `Text N` has after each change of the thread. */
const WATCH = `
  window.seen = []
  const log = document.querySelector('[role="log"]')
  const count = () => {
    const bodies = [...log.querySelectorAll('article > p')].map((p) => p.textContent.replace(/^.*: /, ''))
    const counts = {}
    for (const body of bodies) counts[body] = (counts[body] ?? 0) + 1
    window.seen.push(counts)
  }
  new MutationObserver(count).observe(log, { subtree: true, childList: true, characterData: true })
`

scenario('a sent text is shown at once and stays, despite slow answers', async (fixture) => {
  const { page } = fixture
  await openConversation(fixture)
  const answer = page.getByLabel('Answer from Desk phone')
  await answer.waitFor()
  await page.getByLabel('Texts').getByText('Hello').waitFor()
  await page.route(/\/api\/(sms\/send|collections\/sms_messages\/records)/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_DELAY_MS))
    await route.continue()
  })
  await page.evaluate(WATCH)
  const bodies = Array.from({ length: TEXTS }, (_, i) => `Text ${i}.`)
  for (const body of bodies) {
    await answer.fill(body)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByLabel('Texts').getByText(body).waitFor()
    await expect.poll(() => answer.inputValue()).toBe('')
  }
  await expect.poll(() => page.getByText('Sending', { exact: true }).count()).toBe(0)
  await page.unrouteAll({ behavior: 'wait' })
  const seen = (await page.evaluate('window.seen')) as Record<string, number>[]
  for (const body of bodies) {
    const counts = seen.map((each) => each[body] ?? 0)
    expect([body, ...new Set(counts.slice(counts.indexOf(1)))]).toEqual([body, 1])
  }
})
