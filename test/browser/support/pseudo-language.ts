import { readFileSync } from 'node:fs'
import { cutPlace } from '../../../console/src/language/words.ts'
import { readCatalogue } from '../../console/catalogues.ts'
import type { BrowserFixture } from './browser-fixture.ts'

/** A language that nobody speaks, made of the English and German texts of the console. */
interface PseudoLanguage {
  readonly direction: 'ltr' | 'rtl'
  readonly write: (english: string, german: string) => string
}

/** Placeholders and variables, which stay as they are, or a Latin letter. */
const PART = /\{+\w+\}+|[a-zäöüß]/gi
const LETTERS = 'אבגדהוזחטיכלמנסעפצקרשת'

/** Texts as long as German ones, in Hebrew letters and from right to left. */
export const RIGHT_TO_LEFT: PseudoLanguage = {
  direction: 'rtl',
  write: (_, german) =>
    replaceLetters(german, (letter) =>
      LETTERS.charAt(letter.toLowerCase().charCodeAt(0) % LETTERS.length),
    ),
}

/** Each vowel twice: a third longer than English, where German and French are a fifth longer. */
export const LONG_WORDS: PseudoLanguage = {
  direction: 'ltr',
  write: (english) =>
    replaceLetters(english, (letter) =>
      /[aeiouy]/i.test(letter) ? letter + letter.toLowerCase() : letter,
    ),
}

const replaceLetters = (text: string, write: (letter: string) => string): string =>
  text.replace(PART, (part) => (part.length > 1 ? part : write(part)))

const DIST = new URL('../../../console/dist/', import.meta.url)
type Manifest = Readonly<Record<string, { readonly file: string }>>

/** Reloads a German console in the language, by other texts in the files of the German ones. */
export async function speakPseudo(
  { page, url }: BrowserFixture,
  { direction, write }: PseudoLanguage,
): Promise<void> {
  const manifest: Manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8'))
  for (const part of ['first', 'pages'] as const) {
    const texts = Object.entries(readCatalogue('de', part)).map(([key, german]) => {
      const english = cutPlace(key)
      const written =
        typeof german === 'string'
          ? write(english, german)
          : Object.fromEntries(
              Object.entries(german).map(([form, text]) => [form, write(english, text)]),
            )
      return [key, written]
    })
    const body = `export default ${JSON.stringify(Object.fromEntries(texts))}`
    await page.route(`${url}/${manifest[`src/language/de/${part}.json`]!.file}`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body }),
    )
  }
  await page.addInitScript(`
    new MutationObserver(() => {
      const root = document.documentElement
      if (root && root.dir !== '${direction}') root.dir = '${direction}'
    }).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ['dir'] })
  `)
  await page.reload()
}
