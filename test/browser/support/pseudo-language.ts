import { type BrowserFixture, catalogueOf } from './browser-fixture.ts'

/** The files with the texts of the German console, as vite names them: `first` has code, too. */
const CATALOGUES = /\/assets\/(first|pages)-[\w-]+\.js$/
/** A text in such a file. */
const SENTENCE = /(?<=:)`[^`]*`/g
const GERMAN = new Set([...catalogueOf('de').values()].map((text) => `\`${text}\``))
/** Placeholders and variables, which stay as they are, or a Latin letter. */
const PART = /\{+\w+\}+|[a-zäöüß]/gi
const LETTERS = 'אבגדהוזחטיכלמנסעפצקרשת'

/**
 * Letters of a script from right to left in the places of German ones, so that each text keeps its length.
 */
const pseudo = (text: string) =>
  text.replace(PART, (part) =>
    part.length > 1 ? part : LETTERS.charAt(part.toLowerCase().charCodeAt(0) % LETTERS.length),
  )

/**
 * Reloads a German console in a language that nobody speaks: as long as German, in Hebrew letters and from
 * right to left.
 */
export async function speakPseudo({ page }: BrowserFixture): Promise<void> {
  await page.route(CATALOGUES, async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace(SENTENCE, (text) =>
      GERMAN.has(text) ? pseudo(text) : text,
    )
    await route.fulfill({ response, body })
  })
  await page.addInitScript(`
    new MutationObserver(() => {
      const root = document.documentElement
      if (root && root.dir !== 'rtl') root.dir = 'rtl'
    }).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ['dir'] })
  `)
  await page.reload()
}
