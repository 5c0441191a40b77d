import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import type { Phone } from '../support/phone.ts'
import { BEN, makeTeam, signInAsBen } from '../support/team.ts'

// The day of a practice: it imports patients, switches a reminder on, hears no and STOPP, corrects a time for
// 20 patients, and a colleague answers who said no. PATIENTS: how many, 30 without it.

const PATIENTS = Number(process.env.PATIENTS ?? 30)
const WRONG = 20
const SAYS_NO = [3, 7, 11] as const
const STOPS = 5

const nameOf = (i: number) => `Patient ${i}`
const numberOf = (i: number) => `+49151200${10_000 + i}`
const phoneOf = (i: number) => `0151 200${10_000 + i}`

/** The appointment of all, tomorrow. */
const day = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)

const writeFile = (rows: readonly string[]) => ({
  name: 'patienten.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(rows.join('\r\n'), 'latin1'),
})

function playDay(locale: string): void {
  scenario(
    `a practice imports, reminds, corrects, and a colleague takes over, in ${locale}`,
    async (fixture) => {
      const ann = await fixture.ann()
      const user = ann.authStore.record!.id
      await ann.collection('contact_fields').create({ user, name: 'Termin', type: 'date' })
      const root = await fixture.root()
      await root.settings.update({ batch: { timeout: 30 } }) // a busy machine needs more than 3 seconds
      const phone = await makeTeam(fixture, true)
      await fixture.signIn()
      await importPatients(fixture)
      await remind(fixture, phone)
      await correct(fixture, phone)
      await takeOver(fixture, phone)
    },
    {},
    { locale, ms: 300_000, widths: [1280, 390] },
  )
}

async function importPatients(fixture: BrowserFixture): Promise<void> {
  const { page, say } = fixture
  const [year, month, date] = day().split('-')
  const rows = Array.from(
    { length: PATIENTS },
    (_, i) => `${nameOf(i)};${phoneOf(i)};${date}.${month}.${year}`,
  )
  await fixture.visit('/contacts')
  await page
    .getByRole('button', { name: say('Import') })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  await dialog
    .getByLabel(say('An Excel, CSV or vCard file'))
    .setInputFiles(writeFile(['Name;Handy;Termin', ...rows]))
  await dialog
    .getByText(say('{count} contacts to import', { count: PATIENTS }), { exact: true })
    .waitFor()
  await dialog.getByLabel('Termin', { exact: true }).check()
  await dialog.getByRole('button', { name: say('Import {count}', { count: PATIENTS }) }).click()
  const done = dialog.getByRole('button', { name: say('Done') })
  await done.waitFor({ timeout: 60_000 })
  await done.click()
  await page.getByText(nameOf(0), { exact: true }).waitFor()
}

/** The phone sends what it has got, until it has had `count` texts. Returns them by their numbers. */
async function sendAll(phone: Phone, count: number): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  while (texts.size < count)
    for (const task of await phone.claim()) {
      expect(texts.has(task.to)).toBe(false)
      texts.set(task.to, task.body)
      await phone.report(task, 'delivered')
    }
  return texts
}

async function remind(fixture: BrowserFixture, phone: Phone): Promise<void> {
  const { page, say } = fixture
  await fixture.visit('/campaigns')
  await page.getByRole('link', { name: say('Set up a reminder') }).click()
  await page.getByLabel(say('At'), { exact: true }).fill('00:00')
  const text = page.getByLabel(say('Text'), { exact: true })
  await text.fill('Guten Tag {{name}}, Ihr Termin ist am {{Termin:weekday}}.')
  await page
    .getByText(/^Guten Tag Patient \d+, Ihr Termin ist am /)
    .first()
    .waitFor()
  await fixture.look('practice-reminder')
  await page.getByRole('button', { name: say('Switch on') }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: say('Switch on') })
    .click()
  await page.getByRole('button', { name: say('Pause') }).waitFor()
  const texts = await sendAll(phone, PATIENTS)
  expect([...texts.keys()].sort()).toEqual(Array.from({ length: PATIENTS }, (_, i) => numberOf(i)))
  await expect
    .poll(() => page.locator('.figures dd').allTextContents())
    .toEqual([`${PATIENTS}`, '0', '0'])
  await page.getByText(say('No date is coming up soon.')).waitFor()
  for (const i of SAYS_NO) await phone.hear(numberOf(i), 'nein')
  await phone.hear(numberOf(STOPS), 'STOPP')
  await page.getByText('STOPP', { exact: true }).first().waitFor()
  await fixture.look('practice-answers')
}

/** 20 patients have another time; who has said STOPP gets no text. */
async function correct(fixture: BrowserFixture, phone: Phone): Promise<void> {
  const { page, say } = fixture
  await fixture.visit('/send/list')
  const rows = Array.from({ length: WRONG }, (_, i) => `${phoneOf(i)};${8 + (i % 9)}:30 Uhr`)
  await page
    .getByLabel(say('An Excel, CSV or vCard file'))
    .setInputFiles(writeFile(['Handy;Uhrzeit', ...rows]))
  await page
    .getByLabel(say('Text'), { exact: true })
    .fill('{{name}}, Ihr Termin beginnt erst um {{Uhrzeit}}.')
  await page
    .getByText(`${nameOf(0)}, Ihr Termin beginnt erst um 8:30 Uhr.`)
    .first()
    .waitFor()
  await fixture.look('practice-correction')
  const texts = say('{count} texts', { count: WRONG - 1 })
  await page.getByRole('button', { name: say('Send {texts}', { texts }) }).click()
  await page.getByRole('heading', { name: say('Recipients') }).waitFor()
  const sent = await sendAll(phone, WRONG - 1)
  expect(sent.get(numberOf(STOPS))).toBeUndefined()
  expect(sent.get(numberOf(1))).toBe(`${nameOf(1)}, Ihr Termin beginnt erst um 9:30 Uhr.`)
}

/** The colleague finds who said no in *Today*, assigns the conversation and answers: the owner sees both. */
async function takeOver(fixture: BrowserFixture, phone: Phone): Promise<void> {
  const { page, say, url } = fixture
  const [patient] = SAYS_NO
  const ben = await fixture.another()
  await signInAsBen(ben, url, say)
  await ben.page.getByRole('heading', { name: say('Conversations') }).waitFor()
  await ben.page.goto(`${url}/#/today`)
  await ben.page.getByText(nameOf(patient), { exact: true }).click()
  await ben.page.getByRole('button', { name: say('Assign to me') }).click()
  await fixture.visit(`/conversations/${encodeURIComponent(numberOf(patient))}`)
  await page.getByText(say('with {name}', { name: BEN.name })).waitFor()
  const answer = 'Wir rufen Sie an.'
  await ben.page.getByLabel(say('Answer from {name}', { name: 'Desk phone' })).fill(answer)
  await ben.page.getByRole('button', { name: say('Send'), exact: true }).click()
  await page
    .getByRole('article')
    .filter({ hasText: answer })
    .getByText(BEN.name, { exact: true })
    .waitFor()
  expect(await sendAll(phone, 1)).toEqual(new Map([[numberOf(patient), answer]]))
  await fixture.look('practice-taken-over')
}

for (const locale of ['de-DE', 'en-US']) playDay(locale)
