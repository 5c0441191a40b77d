import { foldName, isSameName } from '#portable/fold-text.ts'
import { parseTextTemplate } from '#portable/text-template.ts'
import { t } from '../../language/words.ts'

interface Piece {
  /** The plain text, or the variable's name. */
  readonly text: string
  readonly isVariable: boolean
  /** The default (`there` in `{{name|there}}`), used for an empty or missing value. */
  readonly fallback?: string | undefined
}

/** Splits a template into plain text and variables. */
export const splitAtVariables = (body: string): Piece[] =>
  parseTextTemplate(body).map((part) =>
    typeof part === 'string'
      ? { text: part, isVariable: false }
      : { text: part.name, isVariable: true, fallback: part.fallback },
  )

/** The text that replaces a variable: its value or, if empty, its default. Undefined if both are missing. */
export const fillPiece = (piece: Piece, value: string | undefined): string | undefined =>
  value?.trim() ? value : (piece.fallback ?? value)

/** Fills in a template's variables. Variables with neither a value nor a default stay. */
export const fillTemplate = (
  body: string,
  valueFor: (name: string) => string | undefined,
): string =>
  splitAtVariables(body)
    .map((piece) =>
      piece.isVariable
        ? (fillPiece(piece, valueFor(piece.text)) ?? `{{${piece.text}}}`)
        : piece.text,
    )
    .join('')

/** Gives the variables of a text these defaults: they replace its own, and are used for empty values only. */
export const addDefaults = (body: string, defaults: Readonly<Record<string, string>>): string =>
  splitAtVariables(body)
    .map(({ text, isVariable, fallback }) => {
      if (!isVariable) return text
      const given = defaults[text]?.replace(/[{}]/g, '').trim() || fallback
      return given === undefined ? `{{${text}}}` : `{{${text}|${given}}}`
    })
    .join('')

/** The default that a text gives a variable; empty if none. */
export const findDefault = (body: string, name: string): string =>
  splitAtVariables(body).find(({ text, isVariable }) => isVariable && text === name)?.fallback ?? ''

export const listVariables = (body: string): string[] =>
  dropRepeatedNames(
    splitAtVariables(body).flatMap(({ isVariable, text }) => (isVariable ? [text] : [])),
  )

/** Each name once, in its first spelling. */
export const dropRepeatedNames = (names: readonly string[]): string[] =>
  names.filter((name, at) => names.findIndex((other) => isSameName(other, name)) === at)

/** Says that a text still has variables which nothing fills in. */
export const listOpenWords = (open: readonly string[]): string =>
  t('Write something in the place of {placeholders}.', {
    placeholders: open.map((name) => `{{${name}}}`).join(', '),
  })

export const OF_CONTACTS: readonly string[] = ['name', 'phone', 'stop_link']

export const listOwnVariables = (body: string): string[] =>
  listVariables(body).filter((name) => !OF_CONTACTS.includes(foldName(name)))
