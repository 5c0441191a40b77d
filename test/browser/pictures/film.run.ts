import { join } from 'node:path'
import sharp from 'sharp'
import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { EXAMPLES, PEOPLE } from './examples.ts'
import { furnish } from './furnish.ts'

// The film in README: an answer is written, a phone sends it, the reply arrives, a filter finds the texts.

const FILE = join(import.meta.dirname, '../../../docs/console/film.webp')
/** The page and the sentence below it, in CSS pixels. The film is WIDTH wide. */
const SIZE = { width: 1200, height: 700 }
const CAPTION = { width: 1200, height: 60 }
const WIDTH = 900
const MAX_BYTES = 3_000_000
const EXAMPLE = EXAMPLES[0]!
const ANNA = PEOPLE[0][1]
const ANSWER = 'Great! We keep your parcel at the counter.'
const FILTER = 'status = "delivered" && created >= @todayStart'
/** How long the film shows a typed piece and a scene, in milliseconds. */
const [PIECE, SCENE] = [120, 2_600]

const STYLE = 'margin:0;background:#111;color:#fff;font:600 24px/60px system-ui;text-align:center'

interface Frame {
  readonly picture: Buffer
  readonly ms: number
}

scenario(
  'the film of README.md',
  async (fixture) => {
    const { page } = fixture
    const frames: Frame[] = []
    const captions = await page.context().newPage()
    await captions.setViewportSize(CAPTION)
    /** Adds a picture of the page, with a sentence below it. */
    const show = async (sentence: string, ms: number) => {
      await captions.setContent(`<body style="${STYLE}">${sentence}`)
      const below = { input: await captions.screenshot(), top: SIZE.height, left: 0 }
      const whole = sharp(await page.screenshot()).extend({ bottom: CAPTION.height })
      frames.push({ picture: await scaled(await whole.composite([below]).png().toBuffer()), ms })
    }
    /** Fills a field piece by piece. */
    const type = async (
      field: ReturnType<BrowserFixture['page']['getByRole']>,
      text: string,
      sentence: string,
    ) => {
      for (let end = 3; end < text.length + 3; end += 3) {
        await field.fill(text.slice(0, end))
        await show(sentence, PIECE)
      }
    }
    const phone = await furnish(fixture, EXAMPLE)
    await fixture.signIn()
    await page.setViewportSize(SIZE)
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await fixture.visit(`/conversations/${encodeURIComponent(ANNA)}`)
    const texts = page.getByLabel('Texts')
    await texts.getByText(EXAMPLE.incoming.last).waitFor()
    await show('A customer has sent a text to your own phone.', SCENE)

    const writing = 'You answer in the console. A web app sends by POST /api/sms/send.'
    await type(page.getByLabel(`Answer from ${EXAMPLE.phone}`), ANSWER, writing)
    await show(writing, SCENE)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await texts.getByText(ANSWER).waitFor()
    await show('The server has stored the text before it says so.', SCENE)
    const [task] = await phone.claim()
    await show('Your phone fetches the text.', SCENE)
    await phone.report(task!, 'sent')
    await texts.getByText('Sent', { exact: true }).waitFor()
    await show('The phone has sent it over the air.', SCENE)
    await phone.report(task!, 'delivered')
    await texts.getByText('Delivered', { exact: true }).last().waitFor()
    await show('The network reports that it has arrived.', SCENE)
    await phone.hear(ANNA, 'Thank you, see you at five!')
    await texts.getByText('Thank you, see you at five!').waitFor()
    await show('The reply appears at once, for everybody in the team.', SCENE * 1.5)

    await fixture.visit('/messages')
    await page.getByText(ANSWER).first().waitFor()
    await show('Every text is a PocketBase record.', SCENE * 1.5)
    const filtering = 'Find texts with PocketBase filters, here and in every PocketBase SDK.'
    await page.getByRole('button', { name: 'Filters' }).click()
    const filter = page.getByRole('textbox', { name: 'Filter' })
    await type(filter, FILTER, filtering)
    await filter.press('Enter')
    await page.getByText('Thank you, see you at five!').waitFor({ state: 'detached' })
    await show(filtering, SCENE * 2)

    const pictures = frames.map(({ picture }) => picture)
    const { size } = await sharp(pictures, { join: { animated: true } })
      .webp({ quality: 60, effort: 4, loop: 0, delay: frames.map(({ ms }) => ms), minSize: true })
      .toFile(FILE)
    expect(size).toBeLessThanOrEqual(MAX_BYTES)
  },
  {},
  { ms: 180_000 },
)

const scaled = (picture: Buffer) => sharp(picture).resize({ width: WIDTH }).png().toBuffer()
