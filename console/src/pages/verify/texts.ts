import type { VerifyService } from '../../data/records.ts'

/** Texts with `{{code}}` by their language. */
export type Texts = Readonly<Record<string, string>>

const LANGUAGE = /^([a-z]{2,3}(?:-[a-zA-Z0-9]{2,8})*):[ \t]*(.*)$/

/** The texts of a service; none for the built-in ones. */
export const textsOf = ({ templates }: Pick<VerifyService, 'templates'>): Texts => templates ?? {}

/** Lines to edit, as `en: Your code is {{code}}.` */
export const linesOf = (texts: Texts): string =>
  Object.entries(texts)
    .map(([language, text]) => `${language}: ${text}`)
    .join('\n')

/** Parses edited lines. A line without a language goes on with the text above; undefined if there is none. */
export function readTexts(typed: string): Texts | undefined {
  const texts: Record<string, string> = {}
  let last: string | undefined
  for (const line of typed.trim().split('\n')) {
    const [, language, text = ''] = LANGUAGE.exec(line) ?? []
    if (language !== undefined) texts[language] = text
    else if (last !== undefined) texts[last] += `\n${line}`
    else if (line !== '') return undefined
    last = language ?? last
  }
  return texts
}
